"""Live objects to text, text to live objects, and text to canonical text.

Knows nothing of steps. Open `object_renderer.py` first.
"""
