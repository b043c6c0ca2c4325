/* An FMU (FMI 2, co-simulation) of a motor's winding, which is heated by its current and cooled by the housing.

   FMUs are usually exported by tools; this one is written by hand as an example that can be built and read. */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { TORQUE, TEMPERATURE, SURROUNDINGS, LIMIT, TORQUE_CONSTANT, RESISTANCE, CAPACITY, CONDUCTANCE, REALS };
enum { HOT = 10 };
enum { OK = 0, ERROR = 3 };

typedef struct {
  double real[REALS];
} Winding;

static void begin(Winding *w) {
  const double start[REALS] = {0.0, 293.15, 293.15, 403.15, 3.0, 1.2, 60.0, 0.7};
  memcpy(w->real, start, sizeof(start));
}

/* The exact solution for a constant torque: the temperature approaches equilibrium exponentially. */
static void advance(Winding *w, double size) {
  const double *r = w->real;
  double current = r[TORQUE] / r[TORQUE_CONSTANT];
  double balance = r[SURROUNDINGS] + r[RESISTANCE] * current * current / r[CONDUCTANCE];
  double left = exp(-size * r[CONDUCTANCE] / r[CAPACITY]);
  w->real[TEMPERATURE] = balance + (r[TEMPERATURE] - balance) * left;
}

typedef struct {
  void *logger, *allocate, *release, *finished, *environment;
} Callbacks;

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

Winding *fmi2Instantiate(const char *name, int kind, const char *guid, const char *resources,
                         const Callbacks *callbacks, int visible, int logging) {
  Winding *winding = strcmp(guid, "{winding-1}") ? NULL : malloc(sizeof(Winding));
  if (winding) begin(winding);
  return winding;
}

void fmi2FreeInstance(Winding *w) { free(w); }
int fmi2SetDebugLogging(Winding *w, int on, size_t n, const char *const names[]) { return OK; }
int fmi2SetupExperiment(Winding *w, int t, double tolerance, double start, int s, double stop) { return OK; }
int fmi2EnterInitializationMode(Winding *w) { return OK; }
int fmi2ExitInitializationMode(Winding *w) { return OK; }
int fmi2Terminate(Winding *w) { return OK; }
int fmi2Reset(Winding *w) { begin(w); return OK; }

int fmi2DoStep(Winding *w, double now, double size, int keep_past) { advance(w, size); return OK; }

int fmi2GetReal(Winding *w, const unsigned v[], size_t n, double values[]) {
  for (size_t i = 0; i < n; i++) values[i] = w->real[v[i]];
  return OK;
}

int fmi2SetReal(Winding *w, const unsigned v[], size_t n, const double values[]) {
  for (size_t i = 0; i < n; i++) w->real[v[i]] = values[i];
  return OK;
}

int fmi2GetBoolean(Winding *w, const unsigned v[], size_t n, int values[]) {
  for (size_t i = 0; i < n; i++) values[i] = w->real[TEMPERATURE] > w->real[LIMIT];
  return OK;
}

int fmi2GetFMUstate(Winding *w, void **state) {
  if (!*state) *state = malloc(sizeof(Winding));
  memcpy(*state, w, sizeof(Winding));
  return OK;
}

int fmi2SetFMUstate(Winding *w, void *state) { memcpy(w, state, sizeof(Winding)); return OK; }
int fmi2FreeFMUstate(Winding *w, void **state) { free(*state); *state = NULL; return OK; }

/* Functions that an FMU must export, and that this one does not support. */
#define UNUSED(name) int name(void) { return ERROR; }
UNUSED(fmi2GetInteger) UNUSED(fmi2GetString) UNUSED(fmi2SetInteger) UNUSED(fmi2SetBoolean) UNUSED(fmi2SetString)
UNUSED(fmi2SerializedFMUstateSize) UNUSED(fmi2SerializeFMUstate) UNUSED(fmi2DeSerializeFMUstate)
UNUSED(fmi2GetDirectionalDerivative) UNUSED(fmi2SetRealInputDerivatives) UNUSED(fmi2GetRealOutputDerivatives)
UNUSED(fmi2CancelStep) UNUSED(fmi2GetStatus) UNUSED(fmi2GetRealStatus) UNUSED(fmi2GetIntegerStatus)
UNUSED(fmi2GetBooleanStatus) UNUSED(fmi2GetStringStatus)
