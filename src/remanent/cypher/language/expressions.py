"""The parser of expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from remanent.cypher.language import tree
from remanent.cypher.language.matching import PatternReader
from remanent.cypher.language.tokens import Token
from remanent.errors import BadQuery

_COMPARISONS: Final = ("=", "<>", "<", ">", "<=", ">=")
_SIGNS: Final = {
    "OR": 1, "XOR": 2, "AND": 3, "+": 6, "-": 6, "||": 6, "*": 7, "/": 7, "%": 7, "^": 8,
}  # fmt: skip
_NOT: Final = 4
_COMPARING: Final = 5
_TESTS: Final = (("starts", "with"), ("ends", "with"), ("contains",), ("in",))
_VALUES: Final = {"true": True, "false": False, "null": None}
_QUANTIFIERS: Final = ("all", "any", "none", "single")


class ExpressionReader(PatternReader):
    """The part of the reader that knows expressions."""

    def expression(self) -> tree.Expr:
        """A whole expression."""
        return self._binary(1)

    # -- operators, loosest first -------------------------------------------------------------

    def _binary(self, least: int) -> tree.Expr:
        left = self._not() if least <= _NOT else self._operand(least)
        while True:
            sign = self.token.text.upper() if self.token.kind in ("sign", "name") else ""
            strength = _SIGNS.get(sign, 0)
            if strength < max(least, 1) or (self.token.kind == "name" and strength > 3):
                return left
            self.advance()
            left = tree.Binary(sign, left, self._binary(strength + 1))

    def _not(self) -> tree.Expr:
        if self.takes_word("not"):
            return tree.Unary("NOT", self.deeper(self._not))
        return self._compared()

    def _operand(self, least: int) -> tree.Expr:
        return self._unary() if least > _COMPARING else self._compared()

    def _compared(self) -> tree.Expr:
        first = self._tested()
        rest = []
        while self.sees(*_COMPARISONS):
            sign = self.advance().text
            rest.append((sign, self._tested()))
        if self.sees("!") and self.ahead().text == "=":
            raise BadQuery("there is no != in Cypher: write <>")
        return tree.Comparison(first, tuple(rest)) if rest else first

    def _tested(self) -> tree.Expr:
        left = self._binary(_SIGNS["+"])
        while True:
            if self.takes("=~"):
                left = tree.Binary("=~", left, self._binary(_SIGNS["+"]))
            elif self.takes_word("is", "null"):
                left = tree.IsNull(left, negated=False)
            elif self.takes_word("is", "not", "null"):
                left = tree.IsNull(left, negated=True)
            elif (test := next((one for one in _TESTS if self.takes_word(*one)), None)) is not None:
                left = tree.Binary(" ".join(test).upper(), left, self._binary(_SIGNS["+"]))
            else:
                return left

    def _unary(self) -> tree.Expr:
        if self.sees("-", "+"):
            sign = self.advance().text
            of = self.deeper(self._unary)
            if sign == "-" and isinstance(of, tree.Literal) and isinstance(of.value, (int, float)):
                return tree.Literal(-of.value)
            return tree.Unary(sign, of)
        return self._postfixed(self._atom())

    def _postfixed(self, of: tree.Expr) -> tree.Expr:
        while True:
            if self.sees(".") and self.ahead().kind in ("name", "quoted"):
                self.advance()
                of = tree.Property(of, self.word("a property"))
            elif self.sees("["):
                of = self._indexed(of)
            elif self.sees(":") and isinstance(of, (tree.Variable, tree.Property)):
                self.advance()
                of = tree.HasLabels(of, self.labels())
            else:
                return of

    def _indexed(self, of: tree.Expr) -> tree.Expr:
        self.expect("[")
        first = None if self.sees("..") else self.deeper(self.expression)
        if first is not None and self.takes("]"):
            return tree.Index(of, first)
        self.expect("..")
        last = None if self.sees("]") else self.deeper(self.expression)
        self.expect("]")
        return tree.Slice(of, first, last)

    # -- the smallest parts -------------------------------------------------------------------

    def _atom(self) -> tree.Expr:
        token = self.token
        match token.kind:
            case "int" | "float" | "string":
                return tree.Literal(self.advance().value)
            case "parameter":
                return tree.Parameter(str(self.advance().value))
            case "name" | "quoted":
                return self._named()
            case _:
                return self._opened(token)

    def _opened(self, token: Token) -> tree.Expr:
        readers: dict[str, Callable[[], tree.Expr]] = {
            "(": self._parenthesis,
            "[": self._list,
            "{": self._map,
        }
        if token.kind == "sign" and token.text in readers:
            return self.deeper(readers[token.text])
        raise self.unexpected("a value")

    def _named(self) -> tree.Expr:
        word = self.token.text.lower() if self.token.kind == "name" else ""
        if word in _VALUES:
            self.advance()
            return tree.Literal(_VALUES[word])
        if word == "case":
            return self.deeper(self._case)
        if self.ahead().text == "{" and word in ("exists", "count", "collect"):
            return self.deeper(self._subquery)
        if self.ahead().text == "(" and self.token.kind == "name":
            return self.deeper(self._called)
        return self._dotted() or self._variable()

    def _variable(self) -> tree.Expr:
        variable = tree.Variable(self.name("a value"))
        if self.sees("{"):
            return self.deeper(lambda: self._projection(variable))
        return variable

    def _dotted(self) -> tree.Expr | None:
        """A function in a namespace, such as `duration.between(...)`."""
        steps = 1
        while self.ahead(steps).text == "." and self.ahead(steps + 1).kind == "name":
            steps += 2
        if steps == 1 or self.ahead(steps).text != "(":
            return None
        name = "".join(self.advance().text for _ in range(steps))
        return self.deeper(lambda: self._arguments(name.lower()))

    def _parenthesis(self) -> tree.Expr:
        path = self.tried(self.relation)
        if path is not None:
            return tree.PatternTest(path)
        self.expect("(")
        inner = self.expression()
        self.expect(")")
        return inner

    def _list(self) -> tree.Expr:
        self.expect("[")
        if self.is_name() and self.ahead().text.lower() == "in" and self.ahead().kind == "name":
            return self._comprehension()
        comprehended = self.tried(self._pattern_comprehension)
        if comprehended is not None:
            return comprehended
        return tree.ListOf(self.up_to("]", self.expression))

    def _comprehension(self) -> tree.Expr:
        """`[x IN list WHERE ... | ...]`, or a list of one test `x IN list`."""
        start = self._at
        name, source = self._iteration()
        where = self.expression() if self.takes_word("where") else None
        shape = self.expression() if self.takes("|") else None
        if self.takes("]"):
            return tree.ListComprehension(name, source, where, shape)
        self._at = start
        items = self.separated(self.expression)
        self.expect("]")
        return tree.ListOf(items)

    def _pattern_comprehension(self) -> tree.Expr:
        name = ""
        if self.is_name() and self.ahead().text == "=":
            name = self.name("a name")
            self.expect("=")
        path = self.relation()
        where = self.expression() if self.takes_word("where") else None
        self.expect("|")
        shape = self.expression()
        self.expect("]")
        if name:
            path = type(path)(name, path.nodes, path.edges)
        return tree.PatternComprehension(path, where, shape)

    def _map(self) -> tree.Expr:
        self.expect("{")
        return tree.MapOf(self.up_to("}", self._entry))

    def _entry(self) -> tree.Entry:
        key = self.word("a name")
        self.expect(":")
        return tree.Entry(key, self.expression())

    def _projection(self, of: tree.Variable) -> tree.Expr:
        self.expect("{")
        entries = self.up_to("}", lambda: self._projected(of))
        kept = tuple(one for one in entries if one.name != "*")
        return tree.MapProjection(of, kept, whole=len(kept) < len(entries))

    def _projected(self, of: tree.Variable) -> tree.Entry:
        if self.takes("."):
            if self.takes("*"):
                return tree.Entry("*", of)
            name = self.word("a property")
            return tree.Entry(name, tree.Property(of, name))
        if self.ahead().text == ":":
            return self._entry()
        name = self.name("a name")
        return tree.Entry(name, tree.Variable(name))

    # -- words that open something ------------------------------------------------------------

    def _case(self) -> tree.Expr:
        self.insist_word("case")
        subject = None if self.sees_word("when") else self.expression()
        branches = []
        while self.takes_word("when"):
            test = self.expression()
            self.insist_word("then")
            branches.append((test, self.expression()))
        if not branches:
            raise self.unexpected("WHEN")
        otherwise = self.expression() if self.takes_word("else") else None
        self.insist_word("end")
        return tree.Case(subject, tuple(branches), otherwise)

    def _subquery(self) -> tree.Expr:
        way = self.advance().text.upper()
        self.expect("{")
        bare = self.matched(optional=False) if self.sees("(") else None
        query = self.inner_query() if bare is None else tree.Query(((bare,),))
        self.expect("}")
        return tree.Subquery(way, query)

    def _called(self) -> tree.Expr:
        name = self.advance().text.lower()
        if name in _QUANTIFIERS and self.ahead(2).text.lower() == "in":
            return self._quantified(name)
        if name == "reduce":
            return self._reduced()
        if name in ("shortestpath", "allshortestpaths"):
            raise BadQuery("shortestPath is taken in MATCH only: MATCH p = shortestPath(...)")
        if name == "exists":
            return self._exists()
        return self._arguments(name)

    def _exists(self) -> tree.Expr:
        path = self.tried(self._only_pattern)
        if path is not None:
            return path
        self.expect("(")
        of = self.expression()
        self.expect(")")
        return tree.IsNull(of, negated=True)

    def _only_pattern(self) -> tree.Expr:
        self.expect("(")
        path = self.relation()
        self.expect(")")
        return tree.PatternTest(path)

    def _iteration(self) -> tuple[str, tree.Expr]:
        name = self.name("a name")
        self.insist_word("in")
        return name, self.expression()

    def _quantified(self, way: str) -> tree.Expr:
        self.expect("(")
        name, source = self._iteration()
        self.insist_word("where")
        where = self.expression()
        self.expect(")")
        return tree.Quantified(way, name, source, where)

    def _reduced(self) -> tree.Expr:
        self.expect("(")
        total = self.name("a name")
        self.expect("=")
        start = self.expression()
        self.expect(",")
        name, source = self._iteration()
        self.expect("|")
        step = self.expression()
        self.expect(")")
        return tree.Reduce(total, start, name, source, step)

    def _arguments(self, name: str) -> tree.Expr:
        self.expect("(")
        if self.takes("*"):
            self.expect(")")
            if name != "count":
                raise BadQuery(f"{name}(*) makes no sense; only count takes a star")
            return tree.Call("count", ())
        distinct = self.takes_word("distinct")
        arguments = self.up_to(")", self.expression)
        if name == "count" and not arguments:
            raise BadQuery("count() needs something to count: count(*) or count(x)")
        return tree.Call(name, arguments, distinct)
