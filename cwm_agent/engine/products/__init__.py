"""Products with fixed matrices, as fast as the machine computes them. It knows no network and no token.

Open `matrix_products.py` first: it is all there is, since products in int8 are part of the pass in C (`engine/native`).
"""
