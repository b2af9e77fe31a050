"""Episodes of any environment, real or imagined, as rows for whoever learns from them."""
