(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @def.function
(class_declaration name: (identifier) @name) @def.class
(variable_declarator name: (identifier) @name value: (class)) @def.class
(method_definition name: (_) @name) @def.method
(method_definition name: (property_identifier) @name (#eq? @name "constructor")) @def.constructor
(pair
  key: [(property_identifier) @name (string (string_fragment) @name)]
  value: [(arrow_function) (function_expression) (generator_function)]) @def.method
(field_definition property: (_) @name) @def.field
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @def.method

; f = function, exports.f = function, app.f = function, Foo.prototype.f = function
(assignment_expression
  left: (identifier) @name
  right: [(arrow_function) (function_expression) (generator_function)]) @def.function
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#not-eq? @name "exports")) @def.function
(assignment_expression
  left: (member_expression object: (identifier) @scope)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#not-eq? @scope "exports")
  (#not-eq? @scope "module"))
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @scope property: (property_identifier) @_prototype))
  right: [(arrow_function) (function_expression) (generator_function)]
  (#eq? @_prototype "prototype"))
(assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: (function_expression name: (identifier) @name)
  (#eq? @_exports "exports")) @def.function
(assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: (class name: (identifier) @name)
  (#eq? @_exports "exports")) @def.class
(assignment_expression
  left: (member_expression object: (identifier) @name property: (property_identifier) @_prototype)
  right: (object)
  (#eq? @_prototype "prototype")) @def.object

(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @def.constant))
(program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @def.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @def.variable))
(export_statement
  declaration: (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @def.constant))
(export_statement
  declaration: (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @def.variable))
(export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name) @def.variable))

(jsx_opening_element name: (identifier) @call (#match? @call "^[A-Z]"))
(jsx_self_closing_element name: (identifier) @call (#match? @call "^[A-Z]"))
(class_heritage [(identifier) @type (member_expression property: (_) @type)])
(formal_parameters (identifier) @bind)
(class_heritage [(identifier) (member_expression)] @base)
(class_heritage (call_expression arguments: (arguments [(identifier) (member_expression)] @base)))
(field_definition value: [
  (call_expression function: (_) @assign.fn)
  (new_expression constructor: (_) @assign.fn)
  [(identifier) (member_expression)] @assign.value]) @assign
(jsx_attribute (property_identifier) @skip)
(jsx_opening_element name: (identifier) @skip (#match? @skip "^[a-z]"))
(jsx_self_closing_element name: (identifier) @skip (#match? @skip "^[a-z]"))
(jsx_closing_element name: (identifier) @skip (#match? @skip "^[a-z]"))
