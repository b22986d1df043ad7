(function_item name: (identifier) @name) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name) @def.struct
(union_item name: (type_identifier) @name) @def.struct
(enum_item name: (type_identifier) @name) @def.enum
(enum_variant name: (identifier) @name) @def.enum_member
(trait_item name: (type_identifier) @name) @def.trait
(impl_item
  type: [
    (type_identifier) @name
    (primitive_type) @name
    (generic_type type: (type_identifier) @name)
    (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
    (scoped_type_identifier name: (type_identifier) @name)
    (reference_type type: (type_identifier) @name)
    (reference_type type: (generic_type type: (type_identifier) @name))
    (dynamic_type trait: (type_identifier) @name)]) @def.impl
(mod_item name: (identifier) @name body: (_)) @def.module
(macro_definition name: (identifier) @name) @def.macro
(const_item name: (identifier) @name) @def.constant
(static_item name: (identifier) @name) @def.variable
(type_item name: (type_identifier) @name) @def.type
(associated_type name: (type_identifier) @name) @def.type
(struct_item
  body: (field_declaration_list (field_declaration name: (field_identifier) @name) @def.field))
(union_item
  body: (field_declaration_list (field_declaration name: (field_identifier) @name) @def.field))
(enum_variant
  body: (field_declaration_list (field_declaration name: (field_identifier) @name) @def.field))

(line_comment) @comment
(block_comment) @comment

(use_declaration) @import
(use_declaration argument: [(identifier) (scoped_identifier) (use_list)] @import.module)
(use_declaration argument: (use_wildcard (_) @import.module) @import.all)
(use_declaration argument: (use_as_clause path: (_) @import.module alias: (identifier) @import.alias))
(use_declaration
  argument: (scoped_use_list
    path: (_) @import.module
    list: (use_list [
      (identifier) @import.name
      (scoped_identifier) @import.name
      (scoped_use_list) @import.name
      (self) @import.name
      (use_wildcard) @import.all
      (use_as_clause path: (_) @import.name alias: (identifier) @import.alias)])))
(extern_crate_declaration name: (identifier) @import.module) @import
(extern_crate_declaration alias: (identifier) @import.alias)
(mod_item name: (identifier) @import.module !body) @import

(call_expression
  function: [
    (identifier) @call
    (field_expression field: (field_identifier) @call)
    (scoped_identifier name: (identifier) @call)
    (generic_function
      function: [
        (identifier) @call
        (field_expression field: (field_identifier) @call)
        (scoped_identifier name: (identifier) @call)])])
(macro_invocation macro: [(identifier) @call (scoped_identifier name: (identifier) @call)])
(type_identifier) @type
(identifier) @ref
(field_identifier) @ref
(shorthand_field_identifier) @ref
