"""Rollouts in imagination: an oracle asked again and again, with rules and guides carrying control."""
