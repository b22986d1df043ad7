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

(use_declaration argument: (_) @import.tree) @import
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

; -- scopes and what is known of values (parse/events.py)
(lifetime (identifier) @skip)
(label (identifier) @skip)
(attribute . (identifier) @skip)
(attribute . (identifier) @_attribute arguments: (token_tree [(identifier) @skip (token_tree (identifier) @skip)])
  (#not-eq? @_attribute "derive"))
(type_binding name: (type_identifier) @skip)
(self) @this
(crate) @root
(super) @root
(type_parameter name: (type_identifier) @bind.type)
(const_parameter name: (identifier) @bind.type)
(parameter pattern: (identifier) @bind)
(let_declaration pattern: (identifier) @bind)
(let_condition pattern: (identifier) @bind)
(for_expression pattern: (identifier) @bind)
(closure_parameters (identifier) @bind)
(match_pattern . (identifier) @bind)
[(tuple_pattern (identifier) @bind) (tuple_struct_pattern type: (_) (identifier) @bind) (ref_pattern (identifier) @bind)
  (mut_pattern (identifier) @bind) (reference_pattern (identifier) @bind) (captured_pattern . (identifier) @bind)
  (slice_pattern (identifier) @bind) (or_pattern (identifier) @bind)
  (field_pattern name: (shorthand_field_identifier) @bind) (field_pattern pattern: (identifier) @bind)]
(field_pattern name: (field_identifier) @skip)
[(closure_expression) (block) (match_arm) (for_expression) (if_expression) (while_expression) (function_type)] @local

(impl_item) @part
(impl_item trait: [(type_identifier) @base (scoped_type_identifier) @base (generic_type type: (_) @base)])
(trait_item bounds: (trait_bounds [(type_identifier) @base (scoped_type_identifier) @base (generic_type type: (_) @base)]))
(field_expression value: (call_expression function: [(identifier) @recv.fn (scoped_identifier) @recv.fn
  (field_expression) @recv.fn (generic_function function: (_) @recv.fn)]) @recv)
(field_expression value: (try_expression (call_expression function: [(identifier) @recv.fn (scoped_identifier) @recv.fn
  (field_expression) @recv.fn (generic_function function: (_) @recv.fn)]) @recv))
(field_expression value: (await_expression (call_expression function: [(identifier) @recv.fn
  (scoped_identifier) @recv.fn (field_expression) @recv.fn (generic_function function: (_) @recv.fn)]) @recv))
(field_expression value: (try_expression (await_expression (call_expression function: [(identifier) @recv.fn
  (scoped_identifier) @recv.fn (field_expression) @recv.fn (generic_function function: (_) @recv.fn)]) @recv)))
(struct_expression body: (field_initializer_list) @literal)
(field_initializer field: (field_identifier) @literal.name)

(type_parameter bounds: (trait_bounds . [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)])) @typed
(where_predicate left: (type_identifier) @where.name bounds: (trait_bounds . [(type_identifier) @where.type (generic_type type: (type_identifier) @where.type)]))
(parameter pattern: (identifier) type: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type) (dynamic_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (abstract_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (reference_type type: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type) (dynamic_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (abstract_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)])])]) @typed
(let_declaration pattern: (identifier) type: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type) (dynamic_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (abstract_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (reference_type type: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type) (dynamic_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (abstract_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)])])]) @typed
(field_declaration type: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type) (dynamic_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (abstract_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (reference_type type: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type) (dynamic_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (abstract_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)])])]) @typed
(const_item type: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type) (dynamic_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (abstract_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (reference_type type: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type) (dynamic_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (abstract_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)])])]) @typed
(static_item type: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type) (dynamic_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (abstract_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (reference_type type: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type) (dynamic_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (abstract_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)])])]) @typed
(type_item type: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type) (dynamic_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (abstract_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (reference_type type: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type) (dynamic_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)]) (abstract_type trait: [(type_identifier) @typed.type (scoped_type_identifier) @typed.type (generic_type type: (_) @typed.type)])])]) @typed

(let_declaration pattern: (identifier) !type value: [
  (call_expression function: [(identifier) @assign.fn (scoped_identifier) @assign.fn (field_expression) @assign.fn
    (generic_function function: (_) @assign.fn)])
  (try_expression (call_expression function: [(identifier) @assign.fn (scoped_identifier) @assign.fn
    (field_expression) @assign.fn (generic_function function: (_) @assign.fn)]))
  (struct_expression name: (_) @assign.type)
  (reference_expression value: (struct_expression name: (_) @assign.type))
  (reference_expression value: [(identifier) (field_expression) (self)] @assign.value)
  [(identifier) (field_expression) (self)] @assign.value]) @assign

(function_item return_type: [(type_identifier) @returns (scoped_type_identifier) @returns (generic_type type: (_) @returns) (dynamic_type trait: [(type_identifier) @returns (scoped_type_identifier) @returns (generic_type type: (_) @returns)]) (abstract_type trait: [(type_identifier) @returns (scoped_type_identifier) @returns (generic_type type: (_) @returns)]) (reference_type type: [(type_identifier) @returns (scoped_type_identifier) @returns (generic_type type: (_) @returns) (dynamic_type trait: [(type_identifier) @returns (scoped_type_identifier) @returns (generic_type type: (_) @returns)]) (abstract_type trait: [(type_identifier) @returns (scoped_type_identifier) @returns (generic_type type: (_) @returns)])])])
(function_signature_item return_type: [(type_identifier) @returns (scoped_type_identifier) @returns (generic_type type: (_) @returns) (dynamic_type trait: [(type_identifier) @returns (scoped_type_identifier) @returns (generic_type type: (_) @returns)]) (abstract_type trait: [(type_identifier) @returns (scoped_type_identifier) @returns (generic_type type: (_) @returns)]) (reference_type type: [(type_identifier) @returns (scoped_type_identifier) @returns (generic_type type: (_) @returns) (dynamic_type trait: [(type_identifier) @returns (scoped_type_identifier) @returns (generic_type type: (_) @returns)]) (abstract_type trait: [(type_identifier) @returns (scoped_type_identifier) @returns (generic_type type: (_) @returns)])])])
