(namespace_declaration name: (_) @name) @def.namespace
(file_scoped_namespace_declaration name: (_) @name) @def.namespace
(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(struct_declaration name: (identifier) @name) @def.struct
(interface_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(enum_member_declaration name: (identifier) @name) @def.enum_member
(delegate_declaration name: (identifier) @name) @def.type
(method_declaration name: (identifier) @name) @def.method
(local_function_statement name: (identifier) @name) @def.function
(constructor_declaration name: (identifier) @name) @def.constructor
(destructor_declaration name: (identifier) @name) @def.method
(operator_declaration operator: _ @name) @def.method
(property_declaration name: (identifier) @name) @def.property
(event_declaration name: (identifier) @name) @def.property
(event_field_declaration (variable_declaration . type: (_) . (variable_declarator name: (identifier) @name))) @def.field
(field_declaration (variable_declaration . type: (_) . (variable_declarator name: (identifier) @name))) @def.field
(field_declaration (modifier "const")) @def.constant
(field_declaration (variable_declaration "," (variable_declarator name: (identifier) @name) @def.field))
(record_declaration (parameter_list (parameter name: (identifier) @name) @def.property))

(comment) @comment

(using_directive) @import
(using_directive [(qualified_name) (identifier)] @import.module .)
(using_directive name: (identifier) @import.alias)

(invocation_expression
  function: [
    (identifier) @call
    (generic_name (identifier) @call)
    (member_access_expression name: [(identifier) @call (generic_name (identifier) @call)])
    (conditional_access_expression
      (member_binding_expression name: [(identifier) @call (generic_name (identifier) @call)]))])
(object_creation_expression
  type: [
    (identifier) @call
    (generic_name (identifier) @call)
    (qualified_name name: (identifier) @call)])
(_ type: [(identifier) @type (generic_name (identifier) @type) (nullable_type type: (identifier) @type)])
(method_declaration returns: [(identifier) @type (generic_name (identifier) @type)])
(type_argument_list (identifier) @type)
(base_list [(identifier) @type (generic_name (identifier) @type)])
(attribute name: (identifier) @type)
(identifier) @ref
