(function_definition) @def.function
(function_declarator declarator: (identifier) @name)
(function_declarator declarator: (parenthesized_declarator (identifier) @name))

; Declarations outside functions are variables, unless they declare a function (which then wins).
[
  (translation_unit (declaration) @def.variable)
  (declaration_list (declaration) @def.variable)
  (linkage_specification (declaration) @def.variable)
  (preproc_if (declaration) @def.variable)
  (preproc_ifdef (declaration) @def.variable)
  (preproc_else (declaration) @def.variable)
  (preproc_elif (declaration) @def.variable)
]
(declaration declarator: [
  (function_declarator declarator: (identifier))
  (pointer_declarator declarator: (function_declarator))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator)))]) @def.prototype
(declaration "," declarator: (_) @def.variable)
(declaration declarator: (identifier) @name)
(init_declarator declarator: (identifier) @name)
(pointer_declarator declarator: (identifier) @name)
(array_declarator declarator: (identifier) @name)

(struct_specifier name: (type_identifier) @name body: (_)) @def.struct
(union_specifier name: (type_identifier) @name body: (_)) @def.struct
(enum_specifier name: (type_identifier) @name body: (_)) @def.enum
(enumerator name: (identifier) @name) @def.enum_member
(field_declaration declarator: (_)) @def.field
(field_declaration "," declarator: (_) @def.field)
(field_declaration declarator: (field_identifier) @name)
(pointer_declarator declarator: (field_identifier) @name)
(array_declarator declarator: (field_identifier) @name)
(function_declarator declarator: (field_identifier) @name)

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
    (type_identifier) (primitive_type) (sized_type_specifier) (macro_type_specifier)]) @def.type
(type_definition declarator: (type_identifier) @name)
(pointer_declarator declarator: (type_identifier) @name)
(array_declarator declarator: (type_identifier) @name)
(function_declarator declarator: (type_identifier) @name)

(preproc_def name: (identifier) @name value: (_)) @def.macro
(preproc_function_def name: (identifier) @name) @def.macro

(comment) @comment

(preproc_include path: (_) @import.module) @import

(call_expression function: [(identifier) @call (field_expression field: (field_identifier) @call)])
(type_identifier) @type
(identifier) @ref
(field_identifier) @ref

; -- scopes and what is known of values (parse/events.py)
[(preproc_if) (preproc_ifdef)] @conditional
(parameter_declaration declarator: (identifier) @bind)
[(compound_statement) (for_statement)] @local
(field_expression argument: (call_expression function: (_) @recv.fn) @recv)
(declaration type: [(type_identifier) @typed.type (struct_specifier name: (type_identifier) @typed.type) (union_specifier name: (type_identifier) @typed.type) (enum_specifier name: (type_identifier) @typed.type)]) @typed
(field_declaration type: [(type_identifier) @typed.type (struct_specifier name: (type_identifier) @typed.type) (union_specifier name: (type_identifier) @typed.type) (enum_specifier name: (type_identifier) @typed.type)]) @typed
(parameter_declaration type: [(type_identifier) @typed.type (struct_specifier name: (type_identifier) @typed.type) (union_specifier name: (type_identifier) @typed.type) (enum_specifier name: (type_identifier) @typed.type)]) @typed
(type_definition type: [(type_identifier) @typed.type (struct_specifier name: (type_identifier) @typed.type) (union_specifier name: (type_identifier) @typed.type) (enum_specifier name: (type_identifier) @typed.type)]) @typed
(function_definition type: [(type_identifier) @returns (struct_specifier name: (type_identifier) @returns) (union_specifier name: (type_identifier) @returns) (enum_specifier name: (type_identifier) @returns)])
