(function_declaration name: (identifier) @name) @def.function
(method_declaration name: (field_identifier) @name) @def.method
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @scope
        (generic_type type: (type_identifier) @scope)
        (pointer_type (type_identifier) @scope)
        (pointer_type (generic_type type: (type_identifier) @scope))])))
(type_spec name: (type_identifier) @name) @def.type
(type_spec type: (struct_type)) @def.struct
(type_spec type: (interface_type)) @def.interface
(type_alias name: (type_identifier) @name) @def.type
(type_spec
  type: (struct_type
    (field_declaration_list (field_declaration . name: (field_identifier) @name) @def.field)))
(type_spec
  type: (struct_type
    (field_declaration_list (field_declaration "," name: (field_identifier) @name @def.field))))
(type_spec type: (interface_type (method_elem name: (field_identifier) @name) @def.method))
(source_file (const_declaration (const_spec . name: (identifier) @name) @def.constant))
(source_file (const_declaration (const_spec "," name: (identifier) @name @def.constant)))
(source_file (var_declaration (var_spec . name: (identifier) @name) @def.variable))
(source_file (var_declaration (var_spec "," name: (identifier) @name @def.variable)))
(source_file (var_declaration (var_spec_list (var_spec . name: (identifier) @name) @def.variable)))
(source_file (var_declaration (var_spec_list (var_spec "," name: (identifier) @name @def.variable))))

(comment) @comment

(import_spec path: (_) @import.module) @import
(import_spec name: (package_identifier) @import.alias)
(import_spec name: (blank_identifier) @import.alias)
(import_spec name: (dot) @import.all)

(call_expression function: [(identifier) @call (selector_expression field: (field_identifier) @call)])
(call_expression function: (parenthesized_expression (identifier) @call))
(call_expression function: (index_expression operand: (identifier) @call))
(type_identifier) @type
(identifier) @ref
(field_identifier) @ref
(package_identifier) @ref
