"""Reports: HTML pages of runs, and figures and tables from finished numbers.

`run_page.py` (open it first) makes the data of a run's report, `html_file.py` writes it with the scripts and styles of
`page/`, `theatre.py` sets an imagined run beside the real one. `study_figures.py` and `markdown_tables.py` draw and
write what studies measured.
"""
