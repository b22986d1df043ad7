(class_definition name: (_) @name) @def.class
(trait_definition name: (_) @name) @def.trait
(object_definition name: (_) @name) @def.object
(package_object name: (_) @name) @def.object
(enum_definition name: (_) @name) @def.enum
(simple_enum_case name: (_) @name) @def.enum_member
(full_enum_case name: (_) @name) @def.enum_member
(given_definition name: (_) @name) @def.object
(extension_definition parameters: (parameters . (parameter type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]))) @def.extension
(function_definition name: (_) @name) @def.function
(function_declaration name: (_) @name) @def.function
((function_definition name: (_) @name) @def.constructor (#eq? @name "this"))
(type_definition name: (type_identifier) @name) @def.type
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (identifier) @name) @def.property))
(class_parameter ["val" "var"] name: (identifier) @name) @def.property
(template_body (val_definition pattern: (identifier) @name) @def.property)
(template_body (var_definition pattern: (identifier) @name) @def.property)
(template_body (val_declaration name: (identifier) @name) @def.property)
(template_body (var_declaration name: (identifier) @name) @def.property)
(compilation_unit (val_definition pattern: (identifier) @name) @def.variable)
(compilation_unit (var_definition pattern: (identifier) @name) @def.variable)

[(comment) (block_comment)] @comment

(import_declaration) @import
(import_declaration (identifier) @import.module)
(import_declaration (namespace_wildcard) @import.all)
(import_declaration (namespace_selectors (identifier) @import.name))
(import_declaration (namespace_selectors (namespace_wildcard) @import.all))
(arrow_renamed_identifier name: (identifier) @import.name alias: (identifier) @import.alias)
(as_renamed_identifier name: (identifier) @import.name alias: (identifier) @import.alias)

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (field_expression field: (identifier) @call)))
(instance_expression . (type_identifier) @call)
(instance_expression . (generic_type type: (type_identifier) @call))
(infix_expression operator: (identifier) @call)
(type_identifier) @type
(identifier) @ref
