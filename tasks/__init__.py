"""Problems as data: frozen task types, their loaders, and the tasks that come with the project."""
