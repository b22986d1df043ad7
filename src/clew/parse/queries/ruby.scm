(module name: (_) @name) @def.module
(class name: (_) @name) @def.class
(method name: (_) @name) @def.function
(module (body_statement [(method) (singleton_method)] @def.method))
(singleton_class (body_statement (method) @def.method))
(method name: (identifier) @name (#eq? @name "initialize")) @def.constructor
(singleton_method name: (_) @name) @def.function
(alias name: (identifier) @name) @def.method
(assignment left: [(constant) (scope_resolution)] @name) @def.constant
(program (assignment left: (global_variable) @name) @def.variable)
(body_statement
  (call
    method: (identifier) @_attribute
    arguments: (argument_list (simple_symbol) @name @def.property)
    (#any-of? @_attribute "attr_accessor" "attr_reader" "attr_writer")))

(comment) @comment

((call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list . (string (string_content) @import.module) .)) @import
  (#any-of? @_require "require" "require_relative" "load"))
((call
  !receiver
  method: (identifier) @_autoload
  arguments: (argument_list . (simple_symbol) @import.name . (string (string_content) @import.module) .)) @import
  (#eq? @_autoload "autoload"))

(call method: [(identifier) (constant) (super)] @call)
(super) @call
((call !receiver method: (identifier) @_require arguments: (argument_list . (string (string_content) @ref) .))
  (#any-of? @_require "require" "require_relative" "load"))
(superclass (constant) @type)
(superclass (scope_resolution name: (constant) @type))
(identifier) @ref
(constant) @ref
(instance_variable) @ref
(class_variable) @ref
(global_variable) @ref
(hash_key_symbol) @ref

; -- scopes and what is known of values (parse/events.py)
[(method_parameters (identifier) @bind) (block_parameters (identifier) @bind) (lambda_parameters (identifier) @bind)
  (optional_parameter name: (identifier) @bind) (keyword_parameter name: (identifier) @bind)
  (splat_parameter name: (identifier) @bind) (hash_splat_parameter name: (identifier) @bind)
  (block_parameter name: (identifier) @bind) (destructured_parameter (identifier) @bind)]
(assignment left: [(identifier) @bind (left_assignment_list (identifier) @bind)])
(operator_assignment left: (identifier) @bind)
(for pattern: (identifier) @bind)
(rest_assignment (identifier) @bind)
(exception_variable (identifier) @bind)
[(block) (do_block) (lambda)] @local
(hash_key_symbol) @skip
(self) @this
(superclass [(constant) (scope_resolution)] @base)
(body_statement (call !receiver method: (identifier) @_mix arguments: (argument_list [(constant) (scope_resolution)] @base)
  (#any-of? @_mix "include" "prepend")))
(body_statement (call !receiver method: (identifier) @_mix arguments: (argument_list [(constant) (scope_resolution)] @prepended)
  (#eq? @_mix "prepend")))
(body_statement (call !receiver method: (identifier) @_mix arguments: (argument_list [(constant) (scope_resolution)] @extended)
  (#eq? @_mix "extend")))
(body_statement (call !receiver method: (identifier) @_mix arguments: (argument_list (self))
  (#eq? @_mix "extend")) @both.levels)
(body_statement (identifier) @both.levels (#eq? @both.levels "module_function"))
(singleton_method name: (_) @class.level)
(singleton_class (body_statement (method name: (_) @class.level)))
(singleton_class (body_statement (call method: (identifier) @_attribute arguments: (argument_list (simple_symbol) @class.level)
  (#any-of? @_attribute "attr_accessor" "attr_reader" "attr_writer"))))
(call method: (identifier) @_eval block: [(block) (do_block)] @opaque
  (#match? @_eval "^(class|instance|module)_(eval|exec)$"))
(call receiver: (constant) @_made method: (identifier) @_new block: [(block) (do_block)] @opaque
  (#any-of? @_made "Class" "Module" "Struct" "Data") (#any-of? @_new "new" "define"))
(assignment left: (call method: (identifier) @written))
(call receiver: (_) method: (_)) @recv
(call !receiver arguments: (_)) @recv
(assignment right: (_) @assign.value) @assign
(operator_assignment right: (_) @assign.value) @assign
