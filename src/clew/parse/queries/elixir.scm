(call target: (identifier) @_kind (arguments . (alias) @name) (do_block) (#eq? @_kind "defmodule")) @def.module
(call target: (identifier) @_kind (arguments . (alias) @name) (do_block) (#eq? @_kind "defprotocol")) @def.protocol
(call target: (identifier) @_kind (arguments . (alias) @name) (do_block) (#eq? @_kind "defimpl")) @def.impl
(call target: (identifier) @_kind (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
    (binary_operator operator: _ @name)
  ]) (#any-of? @_kind "def" "defp" "defdelegate")) @def.equation
(call target: (identifier) @_kind (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
  ]) (#any-of? @_kind "defmacro" "defmacrop" "defguard" "defguardp")) @def.macro
(call target: (identifier) @_kind (arguments . (string (quoted_content) @name)) (do_block) (#any-of? @_kind "test" "describe")) @def.test
(call target: (identifier) @name (arguments) (#any-of? @name "defstruct" "defexception")) @def.struct
(unary_operator operator: "@" operand: (call target: (identifier) @_kind (arguments . (binary_operator left: [
    (identifier) @name
    (call target: (identifier) @name)
  ]))) (#any-of? @_kind "type" "typep" "opaque")) @def.type
(unary_operator operator: "@" operand: (call target: (identifier) @_kind (arguments . (binary_operator left: (call target: (identifier) @name))))
  (#any-of? @_kind "callback" "macrocallback")) @def.function
(unary_operator operator: "@" operand: (call target: (identifier) @_kind (arguments . (binary_operator left: (call target: (identifier) @name))))
  (#eq? @_kind "spec")) @def.equation
(do_block (unary_operator operator: "@" operand: (call target: (identifier) @name (arguments))) @def.constant
  (#not-match? @name "^((module|type)?doc|spec|typep?|opaque|(macro)?callback|impl|behaviour|derive|enforce_keys|deprecated|dialyzer|compile|optional_callbacks|(module|describe)?tag)$"))

(comment) @comment
(unary_operator operator: "@" operand: (call target: (identifier) @_doc (arguments . (string) @doc))
  (#eq? @_doc "moduledoc"))
(unary_operator operator: "@" operand: (call target: (identifier) @_doc (arguments . (string) @doc.before))
  (#any-of? @_doc "doc" "typedoc")) @comment

(call target: (identifier) @_kind (arguments . [
    (alias) @import.module
    (dot left: (alias) @import.module right: (tuple (alias) @import.name))
  ]) (#any-of? @_kind "alias" "import" "require" "use")) @import
(call target: (identifier) @_kind (arguments . (alias) (keywords . (pair value: (alias) @import.alias)))
  (#any-of? @_kind "alias" "require"))

(call target: (identifier) @import.all (arguments . (alias) .) (#eq? @import.all "import"))
(call target: (identifier) @import.all (arguments . (alias) (keywords . (pair key: (keyword) @_which)))
  (#eq? @import.all "import") (#match? @_which "^except"))
(call target: (identifier) @_kind (arguments . (alias) (keywords . (pair key: (keyword) @_which value: (list (keywords
  (pair key: (keyword) @import.name)))))) (#eq? @_kind "import") (#match? @_which "^only"))
(call target: (identifier) @_kind (arguments . (dot left: (identifier) @import.module right: (alias) @import.module))
  (#eq? @_kind "alias")) @import

(call target: (identifier) @call (#not-match? @call "^(def[a-z]*|alias|import|require|use|(module|type)?doc|spec|typep?|opaque|(macro)?callback|if|unless|case|cond|with|for|quote|unquote|receive|try|impl|behaviour)$"))
(call target: (dot right: (identifier) @call) (arguments))
(unary_operator operator: "&" operand: (binary_operator left: (identifier) @call operator: "/"))
(alias) @type
(identifier) @ref

; -- scopes and what is known of values (parse/events.py); every bare word that is no call is a variable
((identifier) @this (#eq? @this "__MODULE__"))
(call target: (identifier) @_quote (do_block) (#eq? @_quote "quote")) @quoted
(unary_operator operator: "@" operand: (identifier) @attribute)
