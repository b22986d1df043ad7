(function_definition name: (identifier) @name) @def.function
(class_definition name: (identifier) @name) @def.class
(module (expression_statement (assignment left: (identifier) @name) @def.variable))
(module [
  (if_statement [(block (expression_statement (assignment left: (identifier) @name) @def.variable))
    (else_clause (block (expression_statement (assignment left: (identifier) @name) @def.variable)))])
  (try_statement [(block (expression_statement (assignment left: (identifier) @name) @def.variable))
    (except_clause (block (expression_statement (assignment left: (identifier) @name) @def.variable)))
    (else_clause (block (expression_statement (assignment left: (identifier) @name) @def.variable)))])])
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @def.field)))
(type_alias_statement left: (type (identifier) @name)) @def.type

(function_definition body: (block . (expression_statement (string) @doc)))
(class_definition body: (block . (expression_statement (string) @doc)))
(comment) @comment

(import_statement) @import
(import_statement name: (dotted_name) @import.module)
(import_statement name: (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.alias))
(import_from_statement module_name: (_) @import.module) @import
(import_from_statement name: (dotted_name) @import.name)
(import_from_statement name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias))
(import_from_statement (wildcard_import) @import.all)
(future_import_statement "__future__" @import.module name: (dotted_name) @import.name) @import

(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call))
(identifier) @ref

; -- scopes and what is known of values (parse/links.py)
(parameters [(identifier) @bind (typed_parameter (identifier) @bind) (default_parameter name: (identifier) @bind)
  (typed_default_parameter name: (identifier) @bind)])
(lambda_parameters [(identifier) @bind (default_parameter name: (identifier) @bind)])
(list_splat_pattern (identifier) @bind)
(dictionary_splat_pattern (identifier) @bind)
(assignment left: [(identifier) @bind (pattern_list (identifier) @bind) (tuple_pattern (identifier) @bind)])
(augmented_assignment left: (identifier) @bind)
(for_statement left: [(identifier) @bind (pattern_list (identifier) @bind) (tuple_pattern (identifier) @bind)])
(for_in_clause left: [(identifier) @bind (pattern_list (identifier) @bind) (tuple_pattern (identifier) @bind)])
(pattern_list (tuple_pattern (identifier) @bind))
(as_pattern_target [(identifier) @bind (tuple (identifier) @bind)])
(named_expression name: (identifier) @bind)
(case_pattern [(dotted_name . (identifier) @bind .) (as_pattern (case_pattern) (identifier) @bind)])
(union_pattern (dotted_name . (identifier) @bind .))
(keyword_pattern . (identifier) @skip)
(keyword_pattern (dotted_name . (identifier) @bind .))
(splat_pattern (identifier) @bind)
(global_statement (identifier) @free)
(nonlocal_statement (identifier) @free)
[(lambda) (list_comprehension) (generator_expression) (dictionary_comprehension) (set_comprehension)] @local

(function_definition parameters: (parameters . [(identifier) @self (typed_parameter (identifier) @self)]))
(decorated_definition (decorator (identifier) @_d) definition: (function_definition parameters: (parameters . [(identifier) @class.self (typed_parameter (identifier) @class.self)])) (#eq? @_d "classmethod"))
(decorated_definition (decorator (identifier) @_d) definition: (function_definition parameters: (parameters . [(identifier) @static (typed_parameter (identifier) @static)])) (#eq? @_d "staticmethod"))
(decorated_definition (decorator [(identifier) @_d (attribute attribute: (identifier) @_d)]) definition: (function_definition name: (identifier) @property) (#match? @_d "property$"))

(class_definition superclasses: (argument_list [(identifier) (attribute) (call) (list_splat)] @base))
(class_definition superclasses: (argument_list (subscript value: [(identifier) (attribute)] @base)))
(attribute object: (call function: (_) @recv.fn) @recv)
(keyword_argument name: (identifier) @skip)
(assignment left: [(attribute attribute: (identifier) @given)
  (pattern_list (attribute attribute: (identifier) @given)) (tuple_pattern (attribute attribute: (identifier) @given))])
(as_pattern_target (attribute attribute: (identifier) @given))
(for_statement left: (attribute attribute: (identifier) @given))
(assignment left: [(identifier) (attribute)] right: [(call function: (_) @assign.fn) (await (call function: (_) @assign.await))]) @assign
(assignment left: [(identifier) (attribute)] right: [(identifier) (attribute)] @assign.value) @assign
(typed_parameter type: (type [(identifier) (attribute)] @typed.type)) @typed
(typed_default_parameter type: (type [(identifier) (attribute)] @typed.type)) @typed
(assignment type: (type [(identifier) (attribute)] @typed.type)) @typed
(typed_parameter type: (type (binary_operator left: [(identifier) (attribute)] @typed.type right: (none)))) @typed
(typed_default_parameter type: (type (binary_operator left: [(identifier) (attribute)] @typed.type right: (none)))) @typed
(assignment type: (type (binary_operator left: [(identifier) (attribute)] @typed.type right: (none)))) @typed
(function_definition return_type: (type [(identifier) (attribute)] @returns))
(function_definition return_type: (type (binary_operator left: [(identifier) (attribute)] @returns right: (none))))
(return_statement (call function: (_) @return.fn))
(return_statement [(identifier) (attribute)] @return.value)
(with_statement . "with" (with_clause (with_item (as_pattern (call function: (_) @entered.fn) alias: (as_pattern_target [(identifier) (attribute)] @entered.name)))))
(with_statement . "with" (with_clause (with_item (as_pattern [(identifier) (attribute)] @entered.value alias: (as_pattern_target [(identifier) (attribute)] @entered.name)))))
(except_clause (as_pattern [(identifier) (attribute)] @caught alias: (as_pattern_target (identifier) @caught.name)))
(for_statement left: (identifier) @each right: [(identifier) (attribute)] @each.of)
(for_statement left: (identifier) @each right: (call function: (_) @each.fn))
(call function: (identifier) @_f arguments: (argument_list . (identifier) @narrow.name . [(identifier) (attribute)] @narrow.type .) (#eq? @_f "isinstance")) @narrow

; -- what a definition's head says is read outside of it
(class_definition superclasses: (argument_list) @outside)
(parameters [(default_parameter value: (_) @outside) (typed_parameter type: (_) @outside)
  (typed_default_parameter type: (_) @outside value: (_) @outside)])
(lambda_parameters (default_parameter value: (_) @outside))
(function_definition return_type: (_) @outside)

; -- types of several things, of one or none, and of classes
([(typed_parameter type: (type (generic_type (identifier) @_g (type_parameter . (type [(identifier) (attribute)] @typed.several))))) (typed_default_parameter type: (type (generic_type (identifier) @_g (type_parameter . (type [(identifier) (attribute)] @typed.several)))))
  (assignment type: (type (generic_type (identifier) @_g (type_parameter . (type [(identifier) (attribute)] @typed.several)))))] @typed (#match? @_g "^(list|List|set|Set|frozenset|FrozenSet|deque|Deque|Sequence|MutableSequence|Iterable|Iterator|Collection|Generator|AsyncIterable|AsyncIterator)$"))
([(typed_parameter type: (type (generic_type (identifier) @_g (type_parameter . (type [(identifier) (attribute)] @typed.type))))) (typed_default_parameter type: (type (generic_type (identifier) @_g (type_parameter . (type [(identifier) (attribute)] @typed.type)))))
  (assignment type: (type (generic_type (identifier) @_g (type_parameter . (type [(identifier) (attribute)] @typed.type)))))] @typed (#eq? @_g "Optional"))
([(typed_parameter type: (type (generic_type (identifier) @_g (type_parameter . (type [(identifier) (attribute)] @typed.class))))) (typed_default_parameter type: (type (generic_type (identifier) @_g (type_parameter . (type [(identifier) (attribute)] @typed.class)))))
  (assignment type: (type (generic_type (identifier) @_g (type_parameter . (type [(identifier) (attribute)] @typed.class)))))] @typed (#eq? @_g "type"))
(function_definition return_type: (type (generic_type (identifier) @_g (type_parameter . (type [(identifier) (attribute)] @returns.several)))) (#match? @_g "^(list|List|set|Set|frozenset|FrozenSet|deque|Deque|Sequence|MutableSequence|Iterable|Iterator|Collection|Generator|AsyncIterable|AsyncIterator)$"))
(function_definition return_type: (type (generic_type (identifier) @_g (type_parameter . (type [(identifier) (attribute)] @returns)))) (#eq? @_g "Optional"))
(function_definition return_type: (type (generic_type (identifier) @_g (type_parameter . (type [(identifier) (attribute)] @returns.class)))) (#eq? @_g "type"))
