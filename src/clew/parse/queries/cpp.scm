(function_definition) @def.function
(template_declaration) @outer
(function_declarator
  declarator: [
    (identifier) @name
    (field_identifier) @name
    (operator_name) @name
    (destructor_name) @name
    (parenthesized_declarator (identifier) @name)
    (template_function name: (identifier) @name)
    (qualified_identifier
      scope: (_) @scope
      name: [
        (identifier) @name
        (operator_name) @name
        (destructor_name) @name
        (template_function name: (identifier) @name)
        (qualified_identifier
          scope: (_) @scope
          name: [
            (identifier) @name
            (operator_name) @name
            (destructor_name) @name
            (qualified_identifier
              scope: (_) @scope
              name: [(identifier) (operator_name) (destructor_name)] @name)])])])
(operator_cast "operator" @name)
(qualified_identifier scope: (_) @scope name: (operator_cast))

; Declarations outside functions are variables, unless they declare a function (which then wins).
[
  (translation_unit (declaration) @def.variable)
  (declaration_list (declaration) @def.variable)
  (linkage_specification (declaration) @def.variable)
  (preproc_if (declaration) @def.variable)
  (preproc_ifdef (declaration) @def.variable)
  (preproc_else (declaration) @def.variable)
  (preproc_elif (declaration) @def.variable)
  (template_declaration (declaration) @def.variable)
  (field_declaration_list (declaration) @def.variable)
]
(declaration declarator: [
  (function_declarator
    declarator: [(identifier) (qualified_identifier) (operator_name) (destructor_name)])
  (operator_cast)
  (reference_declarator (function_declarator))
  (pointer_declarator declarator: (function_declarator))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator)))]) @def.prototype
(declaration "," declarator: (_) @def.variable)
(declaration declarator: [(identifier) (qualified_identifier)] @name)
(init_declarator declarator: [(identifier) (qualified_identifier)] @name)
(pointer_declarator declarator: (identifier) @name)
(array_declarator declarator: [(identifier) (qualified_identifier)] @name)
(reference_declarator (identifier) @name)

(namespace_definition name: (_) @name) @def.namespace
(class_specifier name: [(type_identifier) (qualified_identifier)] @name body: (_)) @def.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @def.class
(struct_specifier name: [(type_identifier) (qualified_identifier)] @name body: (_)) @def.struct
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_)) @def.struct
(union_specifier name: (type_identifier) @name body: (_)) @def.struct
(enum_specifier name: [(type_identifier) (qualified_identifier)] @name body: (_)) @def.enum
(enumerator name: (identifier) @name) @def.enum_member
(alias_declaration name: (type_identifier) @name) @def.type
(concept_definition name: (identifier) @name) @def.type

(field_declaration declarator: (_)) @def.field
(field_declaration declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name)])
    (reference_declarator (function_declarator))
    (pointer_declarator declarator: (function_declarator))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator)))]) @def.method
(field_declaration "," declarator: (_) @def.field)
(field_declaration declarator: (field_identifier) @name)
(pointer_declarator declarator: (field_identifier) @name)
(array_declarator declarator: (field_identifier) @name)
(reference_declarator (field_identifier) @name)

; typedef struct {...} S is the struct S; typedef struct s {...} S is a struct and a type.
(type_definition type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_))]) @def.struct
(type_definition type: (enum_specifier !name body: (_))) @def.enum
(type_definition
  type: [
    (struct_specifier name: (_) body: (_))
    (union_specifier name: (_) body: (_))
    (enum_specifier name: (_) body: (_))]
  declarator: (_) @def.type)
(type_definition
  type: [
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)
    (type_identifier) (primitive_type) (sized_type_specifier)]) @def.type
(type_definition declarator: (type_identifier) @name)
(pointer_declarator declarator: (type_identifier) @name)
(array_declarator declarator: (type_identifier) @name)
(function_declarator declarator: (type_identifier) @name)

(preproc_def name: (identifier) @name value: (_)) @def.macro
(preproc_function_def name: (identifier) @name) @def.macro

(comment) @comment

(preproc_include path: (_) @import.module) @import

(call_expression
  function: [
    (identifier) @call
    (field_expression
      field: [(field_identifier) @call (template_method name: (field_identifier) @call)])
    (template_function name: (identifier) @call)
    (qualified_identifier
      name: [
        (identifier) @call
        (template_function name: (identifier) @call)
        (qualified_identifier
          name: [
            (identifier) @call
            (template_function name: (identifier) @call)
            (qualified_identifier name: (identifier) @call)])])])
(new_expression
  type: [
    (type_identifier) @call
    (template_type name: (type_identifier) @call)
    (qualified_identifier name: (type_identifier) @call)])
(type_identifier) @type
(identifier) @ref
(field_identifier) @ref
(namespace_identifier) @ref

; -- scopes and what is known of values (parse/events.py)
[(preproc_if) (preproc_ifdef)] @conditional
(parameter_declaration declarator: (identifier) @bind)
[(compound_statement) (for_statement)] @local
(field_expression argument: (call_expression function: (_) @recv.fn) @recv)
(declaration type: [(type_identifier) @typed.type (struct_specifier name: (type_identifier) @typed.type) (union_specifier name: (type_identifier) @typed.type) (enum_specifier name: (type_identifier) @typed.type) (qualified_identifier) @typed.type (template_type name: (type_identifier) @typed.type) (qualified_identifier name: (template_type name: (type_identifier) @typed.type)) (class_specifier name: (type_identifier) @typed.type)]) @typed
(field_declaration type: [(type_identifier) @typed.type (struct_specifier name: (type_identifier) @typed.type) (union_specifier name: (type_identifier) @typed.type) (enum_specifier name: (type_identifier) @typed.type) (qualified_identifier) @typed.type (template_type name: (type_identifier) @typed.type) (qualified_identifier name: (template_type name: (type_identifier) @typed.type)) (class_specifier name: (type_identifier) @typed.type)]) @typed
(parameter_declaration type: [(type_identifier) @typed.type (struct_specifier name: (type_identifier) @typed.type) (union_specifier name: (type_identifier) @typed.type) (enum_specifier name: (type_identifier) @typed.type) (qualified_identifier) @typed.type (template_type name: (type_identifier) @typed.type) (qualified_identifier name: (template_type name: (type_identifier) @typed.type)) (class_specifier name: (type_identifier) @typed.type)]) @typed
(type_definition type: [(type_identifier) @typed.type (struct_specifier name: (type_identifier) @typed.type) (union_specifier name: (type_identifier) @typed.type) (enum_specifier name: (type_identifier) @typed.type) (qualified_identifier) @typed.type (template_type name: (type_identifier) @typed.type) (qualified_identifier name: (template_type name: (type_identifier) @typed.type)) (class_specifier name: (type_identifier) @typed.type)]) @typed
(function_definition type: [(type_identifier) @returns (struct_specifier name: (type_identifier) @returns) (union_specifier name: (type_identifier) @returns) (enum_specifier name: (type_identifier) @returns) (qualified_identifier) @returns (template_type name: (type_identifier) @returns) (qualified_identifier name: (template_type name: (type_identifier) @returns)) (class_specifier name: (type_identifier) @returns)])
(optional_parameter_declaration declarator: (identifier) @bind)
(optional_parameter_declaration type: [(type_identifier) @typed.type (struct_specifier name: (type_identifier) @typed.type) (union_specifier name: (type_identifier) @typed.type) (enum_specifier name: (type_identifier) @typed.type) (qualified_identifier) @typed.type (template_type name: (type_identifier) @typed.type) (qualified_identifier name: (template_type name: (type_identifier) @typed.type)) (class_specifier name: (type_identifier) @typed.type)]) @typed
(for_range_loop declarator: (identifier) @bind)
(for_range_loop type: [(type_identifier) @typed.type (struct_specifier name: (type_identifier) @typed.type) (union_specifier name: (type_identifier) @typed.type) (enum_specifier name: (type_identifier) @typed.type) (qualified_identifier) @typed.type (template_type name: (type_identifier) @typed.type) (qualified_identifier name: (template_type name: (type_identifier) @typed.type)) (class_specifier name: (type_identifier) @typed.type)]) @typed
(structured_binding_declarator (identifier) @bind)
[(for_range_loop) (lambda_expression) (template_declaration)] @local
[(type_parameter_declaration (type_identifier) @bind.type)
  (optional_type_parameter_declaration name: (type_identifier) @bind.type)
  (variadic_type_parameter_declaration (type_identifier) @bind.type)]
(this) @this
(base_class_clause [(type_identifier) @base (qualified_identifier) @base (template_type name: (type_identifier) @base)
  (qualified_identifier name: (template_type name: (type_identifier) @base))])
(alias_declaration type: (type_descriptor type: [(type_identifier) @typed.type (struct_specifier name: (type_identifier) @typed.type) (union_specifier name: (type_identifier) @typed.type) (enum_specifier name: (type_identifier) @typed.type) (qualified_identifier) @typed.type (template_type name: (type_identifier) @typed.type) (qualified_identifier name: (template_type name: (type_identifier) @typed.type)) (class_specifier name: (type_identifier) @typed.type)])) @typed
(declaration type: (placeholder_type_specifier) declarator: (init_declarator declarator: (_) value: [
  (call_expression function: (_) @assign.fn)
  (new_expression type: [(type_identifier) @assign.type (struct_specifier name: (type_identifier) @assign.type) (union_specifier name: (type_identifier) @assign.type) (enum_specifier name: (type_identifier) @assign.type) (qualified_identifier) @assign.type (template_type name: (type_identifier) @assign.type) (qualified_identifier name: (template_type name: (type_identifier) @assign.type)) (class_specifier name: (type_identifier) @assign.type)])
  [(identifier) (field_expression)] @assign.value]) @assign)
