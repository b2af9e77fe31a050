"""Lines that programs hold, as tables of templates with typed slots, one module a family; see `pattern`."""
