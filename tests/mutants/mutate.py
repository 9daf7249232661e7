"""Mutants of cpp/format: each has one operator or one constant of one module changed."""
import ast, functools, os

FORMAT = os.path.join(os.path.dirname(__file__), '..', '..', 'cpp', 'format')
# The modules, in the order of their imports.
MODULES = ['hashes', 'schemes', 'rates', 'position_vectors', 'pages', 'read_format', 'urls', 'read_published',
           'read_pages', 'make_pages']

OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And}

@functools.cache  # whatever is edited while this runs
def source(name):
    with open(os.path.join(FORMAT, name + '.py')) as file:
        return file.read()

def constants(value):  # what comes in the place of a constant
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1] if 0 < value < 1000 else [value + 1]
    if isinstance(value, float):
        return [2 * value]
    if isinstance(value, (str, bytes)):
        return [value + ('x' if isinstance(value, str) else b'x')]
    return []

def changes(node):  # pairs of a label and what makes the change
    def put(name, value, i=None):
        def change():
            if i is None:
                setattr(node, name, value)
            else:
                getattr(node, name)[i] = value
        return change
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)):
        other = OPERATORS[type(node.op)]
        yield '%s to %s' % (type(node.op).__name__, other.__name__), put('op', other())
    elif isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            other = OPERATORS[type(op)]
            yield '%s %d to %s' % (type(op).__name__, i, other.__name__), put('ops', other(), i)
    elif isinstance(node, ast.UnaryOp):
        yield 'no ' + type(node.op).__name__, put('op', ast.UAdd() if not isinstance(node.op, ast.Not) else None)
    elif isinstance(node, ast.Constant):
        for other in constants(node.value):
            yield '%r to %r' % (node.value, other), put('value', other)

class Walk:
    """All places of a module that have mutants, in order: (node, its parent, the function around it)."""
    def __init__(self, tree):
        self.places = []
        self.visit(tree, None, ())

    def visit(self, node, parent, around):
        if isinstance(node, ast.If) and parent is not None and 'main' in ast.dump(node.test) and around == ():
            return  # what starts a program
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and len(around) < 2 and 'def' not in around:
            kind = 'def' if isinstance(node, ast.FunctionDef) else 'class'
            inside = (*[one for one in around if one not in ('def', 'class')], node.name)
            around = (*inside, kind)
        if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign, ast.Compare, ast.UnaryOp, ast.Constant)):
            self.places.append((node, parent, '.'.join(one for one in around if one not in ('def', 'class'))))
        for child in ast.iter_child_nodes(node):
            self.visit(child, node, around)

def mutants(name):
    """The names of all mutants of a module: (name, function, place, number)."""
    found, seen = [], {}
    tree = ast.parse(source(name))
    for place, (node, parent, function) in enumerate(Walk(tree).places):
        shown = node if not isinstance(node, ast.Constant) else parent
        text = ast.unparse(shown).split('\n')[0][:100]
        for number, (label, _) in enumerate(changes(node)):
            title = '%s.%s | %s | %s' % (name, function or '-', text, label)
            seen[title] = seen.get(title, 0) + 1
            if seen[title] > 1:
                title += ' #%d' % seen[title]
            found.append((title, function, place, number))
    return found

def compiled(name, place=None, number=0):
    """The code of a module, or of a mutant of it."""
    tree = ast.parse(source(name))
    if place is not None:
        node, parent, _ = Walk(tree).places[place]
        _, change = list(changes(node))[number]
        change()
        if isinstance(node, ast.UnaryOp) and node.op is None:  # `not x` becomes x
            for field, value in ast.iter_fields(parent):
                if value is node:
                    setattr(parent, field, node.operand)
                elif isinstance(value, list) and node in value:
                    value[value.index(node)] = node.operand
        ast.fix_missing_locations(tree)
    return compile(tree, name + '.py', 'exec')
