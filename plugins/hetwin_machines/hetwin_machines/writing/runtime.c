/* The operators of expressions and the execution of cycles; no memory is allocated. */

static V failed(void) { V v = {FAILED, 0, 0.0}; return v; }
static V truth_of(int i) { V v = {TRUTH, 0, 0.0}; v.i = i != 0; return v; }
static V whole(int64_t i) { V v = {WHOLE, 0, 0.0}; v.i = i; return v; }
static V real(double d) { V v = {REAL, 0, 0.0}; v.d = d; return d - d == 0 ? v : failed(); }

static int is_number(V a) { return a.kind == WHOLE || a.kind == REAL; }
static int are_whole(V a, V b) { return a.kind == WHOLE && b.kind == WHOLE; }
static double as_real(V a) { return a.kind == REAL ? a.d : (double)a.i; }

static int order_of_mixed(int64_t i, double d)
{
    int64_t t;
    if (d >= 9223372036854775808.0) return -1;
    if (d < -9223372036854775808.0) return 1;
    t = (int64_t)d;
    if (i != t) return i < t ? -1 : 1;
    return d > (double)t ? -1 : d < (double)t ? 1 : 0;
}

static int order_of(V a, V b)
{
    if (a.kind == REAL && b.kind == REAL) return (a.d > b.d) - (a.d < b.d);
    if (a.kind == REAL) return -order_of_mixed(b.i, a.d);
    if (b.kind == REAL) return order_of_mixed(a.i, b.d);
    return (a.i > b.i) - (a.i < b.i);
}

static int both_known(V a, V b) { return a.kind >= TRUTH && b.kind >= TRUTH; }
static int alike(V a, V b) { return (a.kind == TRUTH) == (b.kind == TRUTH); }
static int equal(V a, V b) { return alike(a, b) && order_of(a, b) == 0; }
static int differs(V a, V b) { return a.kind != b.kind || order_of(a, b) != 0; }

static V plus(V a, V b)
{
    if (!is_number(a) || !is_number(b)) return failed();
    if (!are_whole(a, b)) return real(as_real(a) + as_real(b));
    if (b.i > 0 ? a.i > INT64_MAX - b.i : a.i < INT64_MIN - b.i) return failed();
    return whole(a.i + b.i);
}

static V minus(V a, V b)
{
    if (!is_number(a) || !is_number(b)) return failed();
    if (!are_whole(a, b)) return real(as_real(a) - as_real(b));
    if (b.i < 0 ? a.i > INT64_MAX + b.i : a.i < INT64_MIN + b.i) return failed();
    return whole(a.i - b.i);
}

static int too_large(int64_t a, int64_t b)
{
    if (a == 0 || b == 0) return 0;
    if (a > 0) return b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a;
    return b > 0 ? a < INT64_MIN / b : b < INT64_MAX / a;
}

static V times(V a, V b)
{
    if (!is_number(a) || !is_number(b)) return failed();
    if (!are_whole(a, b)) return real(as_real(a) * as_real(b));
    return too_large(a.i, b.i) ? failed() : whole(a.i * b.i);
}

static V over(V a, V b)
{
    if (!is_number(a) || !is_number(b) || as_real(b) == 0) return failed();
    if (!are_whole(a, b)) return real(as_real(a) / as_real(b));
    return a.i == INT64_MIN && b.i == -1 ? failed() : whole(a.i / b.i);
}

static V modulo(V a, V b)
{
    if (!are_whole(a, b) || b.i == 0) return failed();
    return whole(b.i == -1 ? 0 : a.i % b.i);
}

static V negative(V a)
{
    if (a.kind == REAL) return real(-a.d);
    return a.kind != WHOLE || a.i == INT64_MIN ? failed() : whole(-a.i);
}

static V magnitude(V a)
{
    if (a.kind == REAL) return real(a.d < 0 ? -a.d : a.d == 0 ? 0.0 : a.d);
    return a.kind == WHOLE && a.i >= 0 ? a : negative(a);
}

static V opposite(V a) { return a.kind == TRUTH ? truth_of(!a.i) : failed(); }
static V same(V a, V b) { return both_known(a, b) ? truth_of(equal(a, b)) : failed(); }

static V less(V a, V b)
{
    return both_known(a, b) && alike(a, b) ? truth_of(order_of(a, b) < 0) : failed();
}

static V at_most(V a, V b)
{
    return both_known(a, b) && alike(a, b) ? truth_of(order_of(a, b) <= 0) : failed();
}

static V both(V a, V b)
{
    if ((a.kind == TRUTH && !a.i) || (b.kind == TRUTH && !b.i)) return truth_of(0);
    return a.kind == TRUTH && b.kind == TRUTH ? truth_of(1) : failed();
}

static V either(V a, V b)
{
    if ((a.kind == TRUTH && a.i) || (b.kind == TRUTH && b.i)) return truth_of(1);
    return a.kind == TRUTH && b.kind == TRUTH ? truth_of(0) : failed();
}

static V choice(V c, V yes, V no) { return c.kind != TRUTH ? failed() : c.i ? yes : no; }

static V picked(V a, V b, int sign)
{
    V found;
    if (!is_number(a) || !is_number(b)) return failed();
    found = sign * order_of(a, b) <= 0 ? a : b;
    return are_whole(a, b) ? found : real(as_real(found));
}

static V minimum(V a, V b) { return picked(a, b, 1); }
static V maximum(V a, V b) { return picked(a, b, -1); }

static void use_all(void)
{
    (void)plus; (void)minus; (void)times; (void)over; (void)modulo; (void)negative; (void)magnitude;
    (void)opposite; (void)same; (void)less; (void)at_most; (void)both; (void)either;
    (void)choice; (void)minimum; (void)maximum; (void)whole; (void)real;
}

/* The arc that fires: the signals it sets, its pops and pushes, and its target. */
typedef struct {
    int fault; /* 0: an arc; NOTHING: a sink; otherwise the state of a fault */
    int count, pops, pushes, to;
    int names[MAX_SET];
    V values[MAX_SET];
    int pushed[MAX_PUSHED];
} Go;

static void plan(int machine, int state, const V *s, Go *go);

static int begin_machine(Network *n, int m)
{
    int i, anew = n->state[m] != INITIAL[m] || n->depth[m] > 0;
    n->state[m] = INITIAL[m];
    n->depth[m] = 0;
    for (i = 0; i < INIT_COUNT; i++) {
        if (INIT[i].machine != m) continue;
        if (n->signals[INIT[i].signal].kind == UNSET || differs(n->signals[INIT[i].signal], INIT[i].value)) anew = 1;
        n->signals[INIT[i].signal] = INIT[i].value;
    }
    return anew;
}

void network_init(Network *n)
{
    static const Network nothing;
    int m;
    use_all();
    *n = nothing;
    n->step = -1;
    for (m = 0; m < MACHINES; m++) begin_machine(n, m);
}

void network_begin_step(Network *n, const V *outside)
{
    int i;
    n->step++;
    for (i = 0; i < INPUTS; i++)
        if (outside[i].kind != UNSET) n->signals[i] = outside[i];
    for (; i < INPUTS + EVENTS; i++) n->signals[i] = truth_of(outside[i].kind == TRUTH && outside[i].i);
}

static int lacks_states(const Network *n, int m, const Go *go)
{
    int left;
    if (go->pops == 0 && go->to != TOP) return 0;
    left = go->pops == POP_ALL ? 0 : n->depth[m] - go->pops;
    return left < 0 || (go->to == TOP && left + go->pushes == 0);
}

static int move(Network *n, int m, const Go *go)
{
    int *stack = n->stack[m], before = n->depth[m], to = go->to, changed, i;
    int left = go->pops == POP_ALL ? 0 : before - go->pops;
    int depth = left + go->pushes - (to == TOP);
    if (depth > STACK) { n->state[m] = STACK_FULL; return 1; }
    changed = depth != before;
    if (to == TOP && go->pushes == 0) to = stack[depth];
    for (i = 0; i < go->pushes; i++) {
        if (left + i == depth) { to = go->pushed[i]; break; }
        if (stack[left + i] != go->pushed[i]) changed = 1;
        stack[left + i] = go->pushed[i];
    }
    changed = changed || to != n->state[m];
    n->depth[m] = depth;
    n->state[m] = to;
    return changed;
}

/* Collects the new values of signals; a signal is disputed if two machines set different values. */
static void agree(const Go *go, const int *chosen, V *values, int *disputed)
{
    int m, i;
    for (m = 0; m < MACHINES; m++) {
        if (!chosen[m]) continue;
        for (i = 0; i < go[m].count; i++) {
            V *now = &values[go[m].names[i]];
            V wanted = go[m].values[i];
            if (now->kind == UNSET) *now = wanted;
            else if (!equal(*now, wanted)) disputed[go[m].names[i]] = 1;
            else if (wanted.kind == REAL) *now = wanted;
        }
    }
}

static int update(Network *n, const Go *go, int *chosen)
{
    V values[SIGNALS], again[SIGNALS];
    int disputed[SIGNALS] = {0}, ignored[SIGNALS] = {0};
    int m, i, changed = 0;
    memset(values, 0, sizeof values);
    memset(again, 0, sizeof again);
    agree(go, chosen, values, disputed);
    for (m = 0; m < MACHINES; m++) {
        for (i = 0; chosen[m] && i < go[m].count; i++) {
            if (!disputed[go[m].names[i]]) continue;
            n->state[m] = CONFLICT;
            chosen[m] = 0;
            changed = 1;
        }
    }
    agree(go, chosen, again, ignored);
    for (i = 0; i < SIGNALS; i++) {
        if (again[i].kind == UNSET) continue;
        if (n->signals[i].kind == UNSET || differs(n->signals[i], again[i])) changed = 1;
        n->signals[i] = again[i];
    }
    for (m = 0; m < MACHINES; m++)
        if (chosen[m] && move(n, m, &go[m])) changed = 1;
    return changed;
}

int network_next(Network *n)
{
    static Go go[MACHINES];
    int chosen[MACHINES] = {0};
    int m, changed = 0;
    n->cycle++;
    for (m = 0; m < MACHINES; m++) {
        if (n->stopped[m] || n->state[m] < 0) continue;
        plan(m, n->state[m], n->signals, &go[m]);
        if (go[m].fault == NOTHING) continue;
        if (go[m].fault != 0 || lacks_states(n, m, &go[m])) {
            n->state[m] = go[m].fault != 0 ? go[m].fault : INCOMPLETE;
            changed = 1;
        } else {
            chosen[m] = 1;
        }
    }
    return update(n, go, chosen) || changed;
}

int network_act(Network *n)
{
    int m, i, anew = 0;
    for (i = INPUTS; i < INPUTS + EVENTS; i++) n->signals[i] = truth_of(0);
    for (m = 0; m < MACHINES; m++) {
        if (n->state[m] >= 0 && !IS_SINK[n->state[m]]) continue;
        if (ON_INACTIVE[m] == 'e') n->is_over = 1;
        else if (ON_INACTIVE[m] == 's') n->stopped[m] = 1;
        else if (ON_INACTIVE[m] == 'r' && begin_machine(n, m)) anew = 1;
    }
    return anew;
}

int network_step(Network *n, const V *outside, void (*seen)(const Network *))
{
    int i, changed;
    network_begin_step(n, outside);
    for (i = 0; i < CYCLE_LIMIT; i++) {
        changed = network_next(n);
        if (seen) seen(n);
        changed = network_act(n) || changed;
        if (n->is_over || !changed) break;
    }
    return n->is_over;
}

#ifdef NETWORK_MAIN
/* Reads a line for each step, with a word for each input and event (- for no value); prints a line for each cycle. */

static const char *name_of(int state)
{
    return state >= 0 ? STATE_NAMES[state] : FAULT_NAMES[-state];
}

static void print_value(V v)
{
    char text[40];
    if (v.kind == UNSET) printf(" null");
    else if (v.kind == TRUTH) printf(v.i ? " true" : " false");
    else if (v.kind == WHOLE) printf(" %" PRId64, v.i);
    else {
        sprintf(text, "%.17g", v.d);
        printf(" %s%s", text, strpbrk(text, ".e") ? "" : ".0");
    }
}

static void print_line(const Network *n)
{
    int m, i;
    printf("%d %d", n->cycle, n->step);
    for (m = 0; m < MACHINES; m++) {
        printf(" %s", name_of(n->state[m]));
        for (i = 0; i < n->depth[m]; i++) printf(",%s", name_of(n->stack[m][i]));
    }
    for (i = 0; i < SIGNALS; i++) print_value(n->signals[i]);
    printf("\n");
}

static V value_of(const char *word)
{
    static const V unset;
    char *end;
    long long i;
    if (strcmp(word, "-") == 0) return unset;
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) return truth_of(word[0] == 't');
    i = strtoll(word, &end, 10);
    return *end == 0 ? whole(i) : real(strtod(word, NULL));
}

int main(void)
{
    static Network n;
    static V outside[INPUTS + EVENTS + 1];
    static char line[65536];
    network_init(&n);
    while (fgets(line, sizeof line, stdin)) {
        int i = 0;
        char *word = strtok(line, " \r\n");
        for (; word && i < INPUTS + EVENTS; word = strtok(NULL, " \r\n")) outside[i++] = value_of(word);
        if (network_step(&n, outside, print_line)) break;
    }
    return 0;
}
#endif
