"""One step of execution over text: everything except what the line computes.

`values/` has the rules about texts of values, `objects/` those about classes of the program. Runs no program code (only
`exact_effects.py` does, and it is called inside the sandbox). Open `stepper.py` first.
"""
