(create_schema (identifier) @name) @def.namespace
(create_table (object_reference) @name) @def.table
(create_table (column_definitions (column_definition name: (identifier) @name) @def.field))
(create_view (object_reference) @name) @def.view
(create_materialized_view (object_reference) @name) @def.view
(create_index column: (identifier) @name) @def.index
(create_type (object_reference) @name) @def.type
(create_function (object_reference) @name) @def.function
(create_trigger (object_reference) @name) @def.trigger

[(comment) (marginalia)] @comment

(invocation (object_reference name: (identifier) @call))
(create_trigger (keyword_execute) (object_reference name: (identifier) @call) .)
(identifier) @ref
