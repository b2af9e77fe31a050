"""Products with fixed matrices, as fast as the machine computes them. It knows no network and no token.

Open `matrix_products.py` first; `int8_products.py` computes in int8 by ONNX Runtime, from models that `onnx_model.py`
writes.
"""
