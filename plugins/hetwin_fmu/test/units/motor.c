/* A motor for tests, as a unit of FMI 2 (-DFMI=2) or FMI 3 (-DFMI=3): its speed follows the voltage with a lag, it
   lifts something, gets warm, and can be told to go wrong at a time. Declared here is only what it needs of the interface. */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { TIME, VOLTAGE, SPEED, GAIN, LAG, WRONG_AT, TEMPERATURE, SPEED_START, HEIGHT, HEIGHT_START, REALS };
enum { HOT = 100, ENABLED, GEAR = 200, WRONG, LABEL = 300, WINDINGS = 400 };
enum { NOTHING, CRASH, HANG, RETURN_ERROR, RETURN_NAN, END, RETURN_FATAL, REFUSE, LOG, STUBBORN };

typedef void (*Log2)(void *, const char *, int, const char *, const char *, ...);
typedef void (*Log3)(void *, int, const char *, const char *);

typedef struct {
  double real[REALS];
  bool hot, enabled;
  int gear, wrong, over;
} State;

typedef struct {
  State now;
  Log2 log2;
  Log3 log3;
  void *environment;
} Motor;

static void begin(Motor *motor) {
  State start = {{0.0, 0.0, 0.0, 2.0, 0.1, 0.5, 293.15, 0.0, 0.0, 0.0}, false, true, 1, NOTHING, 0};
  motor->now = start;
}

static int again(Motor *motor) {
  if (motor->now.wrong == STUBBORN) return ERROR;
  begin(motor);
  return OK;
}

static void say(Motor *motor, int status, const char *text) {
  if (motor->log2) motor->log2(motor->environment, "motor", status, "logStatusError", text);
  if (motor->log3) motor->log3(motor->environment, status, "logStatusError", text);
}

static int misbehave(Motor *motor) {
  State *now = &motor->now;
  if (now->wrong == NOTHING || now->real[TIME] < now->real[WRONG_AT]) return OK;
  switch (now->wrong) {
    case CRASH: *(volatile int *)0 = 1; return OK;
    case HANG: for (volatile int turning = 1; turning;) {} return OK;
    case RETURN_ERROR: say(motor, ERROR, "the bearing is worn"); return ERROR;
    case RETURN_FATAL: say(motor, FATAL, "the motor burns"); return FATAL;
    case RETURN_NAN: now->real[SPEED] = NAN; return OK;
    case END: now->over = 1; return DISCARD;
    case LOG: say(motor, WARNING, "the brushes spark"); return OK;
    case STUBBORN: return OK;
    default: return DISCARD;
  }
}

/* The exact solution of d speed/dt = (gain * voltage - speed) / lag over a step with a constant voltage. */
static int advance(Motor *motor, double begin, double size) {
  State *now = &motor->now;
  double wanted = now->enabled ? now->gear * now->real[GAIN] * now->real[VOLTAGE] : 0.0;
  now->real[SPEED] = wanted + (now->real[SPEED] - wanted) * exp(-size / now->real[LAG]);
  now->real[TEMPERATURE] += size * now->real[SPEED] * now->real[SPEED];
  now->real[HEIGHT] += size * 0.05 * now->real[SPEED];
  now->real[TIME] = begin + size;
  now->hot = now->real[TEMPERATURE] > 294.0;
  return misbehave(motor);
}

static double *real(State *now, unsigned variable) { return &now->real[variable]; }

static void warm_up(Motor *motor) {
  motor->now.real[SPEED] = motor->now.real[SPEED_START];
  motor->now.real[HEIGHT] = motor->now.real[HEIGHT_START];
  motor->now.hot = motor->now.real[TEMPERATURE] > 294.0;
}

static int keep(Motor *motor, void **state) {
  if (!*state) *state = malloc(sizeof(State));
  memcpy(*state, &motor->now, sizeof(State));
  return OK;
}

static int bring_back(Motor *motor, void *state) { motor->now = *(State *)state; return OK; }

static int drop(void **state) { free(*state); *state = NULL; return OK; }

#define NOT_HERE(name) int name(void) { return ERROR; }

#if FMI == 2

typedef struct {
  Log2 logger;
  void *allocate, *release, *finished, *environment;
} Callbacks;

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
int fmi2SetDebugLogging(void *c, int on, size_t n, const char *const names[]) { return OK; }

void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *resources, const Callbacks *calls,
                      int visible, int logging) {
  if (strcmp(guid, "{motor}")) return NULL;
  Motor *motor = calloc(1, sizeof(Motor));
  motor->log2 = calls->logger;
  motor->environment = calls->environment;
  begin(motor);
  return motor;
}

void fmi2FreeInstance(void *c) { free(c); }
int fmi2SetupExperiment(Motor *m, int t, double tolerance, double start, int s, double stop) {
  m->now.real[TIME] = start;
  return OK;
}
int fmi2EnterInitializationMode(Motor *m) { return OK; }
int fmi2ExitInitializationMode(Motor *m) { warm_up(m); return OK; }
int fmi2Terminate(Motor *m) { return OK; }
int fmi2Reset(Motor *m) { return again(m); }

int fmi2GetReal(Motor *m, const unsigned v[], size_t n, double x[]) {
  for (size_t i = 0; i < n; i++) x[i] = *real(&m->now, v[i]);
  return OK;
}
int fmi2SetReal(Motor *m, const unsigned v[], size_t n, const double x[]) {
  for (size_t i = 0; i < n; i++) *real(&m->now, v[i]) = x[i];
  return OK;
}
int fmi2GetInteger(Motor *m, const unsigned v[], size_t n, int x[]) {
  for (size_t i = 0; i < n; i++) x[i] = v[i] == GEAR ? m->now.gear : m->now.wrong;
  return OK;
}
int fmi2SetInteger(Motor *m, const unsigned v[], size_t n, const int x[]) {
  for (size_t i = 0; i < n; i++) *(v[i] == GEAR ? &m->now.gear : &m->now.wrong) = x[i];
  return OK;
}
int fmi2GetBoolean(Motor *m, const unsigned v[], size_t n, int x[]) {
  for (size_t i = 0; i < n; i++) x[i] = v[i] == HOT ? m->now.hot : m->now.enabled;
  return OK;
}
int fmi2SetBoolean(Motor *m, const unsigned v[], size_t n, const int x[]) {
  for (size_t i = 0; i < n; i++) m->now.enabled = x[i] != 0;
  return OK;
}
int fmi2SetString(Motor *m, const unsigned v[], size_t n, const char *const x[]) {
  return strcmp(x[0], "refused") ? OK : ERROR;
}
NOT_HERE(fmi2GetString)

int fmi2GetFMUstate(Motor *m, void **state) { return keep(m, state); }
int fmi2SetFMUstate(Motor *m, void *state) { return bring_back(m, state); }
int fmi2FreeFMUstate(Motor *m, void **state) { return drop(state); }
NOT_HERE(fmi2SerializedFMUstateSize) NOT_HERE(fmi2SerializeFMUstate) NOT_HERE(fmi2DeSerializeFMUstate)
NOT_HERE(fmi2GetDirectionalDerivative) NOT_HERE(fmi2SetRealInputDerivatives) NOT_HERE(fmi2GetRealOutputDerivatives)
NOT_HERE(fmi2CancelStep) NOT_HERE(fmi2GetStatus) NOT_HERE(fmi2GetIntegerStatus) NOT_HERE(fmi2GetStringStatus)

int fmi2DoStep(Motor *m, double begin, double size, int keep_past) { return advance(m, begin, size); }
int fmi2GetBooleanStatus(Motor *m, int kind, int *value) { *value = m->now.over; return OK; }
int fmi2GetRealStatus(Motor *m, int kind, double *value) { *value = m->now.real[TIME]; return OK; }

#else

const char *fmi3GetVersion(void) { return "3.0"; }
int fmi3SetDebugLogging(void *c, bool on, size_t n, const char *const names[]) { return OK; }

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                  bool logging, bool events, bool early, const unsigned between[], size_t n,
                                  void *environment, Log3 logger, void *update) {
  if (strcmp(token, "{motor}")) return NULL;
  Motor *motor = calloc(1, sizeof(Motor));
  motor->log3 = logger;
  motor->environment = environment;
  begin(motor);
  return motor;
}

void fmi3FreeInstance(void *c) { free(c); }
int fmi3EnterInitializationMode(Motor *m, bool t, double tolerance, double start, bool s, double stop) {
  m->now.real[TIME] = start;
  return OK;
}
int fmi3ExitInitializationMode(Motor *m) { warm_up(m); return OK; }
int fmi3Terminate(Motor *m) { return OK; }
int fmi3Reset(Motor *m) { return again(m); }

int fmi3GetFloat64(Motor *m, const unsigned v[], size_t n, double x[], size_t numbers) {
  for (size_t i = 0, j = 0; i < n; i++) {
    if (v[i] == WINDINGS) {
      for (int k = 1; k <= 3; k++) x[j++] = k * m->now.real[TEMPERATURE];
    } else {
      x[j++] = *real(&m->now, v[i]);
    }
  }
  return OK;
}
int fmi3SetFloat64(Motor *m, const unsigned v[], size_t n, const double x[], size_t numbers) {
  for (size_t i = 0; i < n; i++) *real(&m->now, v[i]) = x[i];
  return OK;
}
int fmi3GetInt32(Motor *m, const unsigned v[], size_t n, int32_t x[], size_t numbers) {
  for (size_t i = 0; i < n; i++) x[i] = v[i] == GEAR ? m->now.gear : m->now.wrong;
  return OK;
}
int fmi3SetInt32(Motor *m, const unsigned v[], size_t n, const int32_t x[], size_t numbers) {
  for (size_t i = 0; i < n; i++) *(v[i] == GEAR ? &m->now.gear : &m->now.wrong) = x[i];
  return OK;
}
int fmi3GetBoolean(Motor *m, const unsigned v[], size_t n, bool x[], size_t numbers) {
  for (size_t i = 0; i < n; i++) x[i] = v[i] == HOT ? m->now.hot : m->now.enabled;
  return OK;
}
int fmi3SetBoolean(Motor *m, const unsigned v[], size_t n, const bool x[], size_t numbers) {
  for (size_t i = 0; i < n; i++) m->now.enabled = x[i];
  return OK;
}
int fmi3SetString(Motor *m, const unsigned v[], size_t n, const char *const x[], size_t numbers) {
  return strcmp(x[0], "refused") ? OK : ERROR;
}

int fmi3GetFMUState(Motor *m, void **state) { return keep(m, state); }
int fmi3SetFMUState(Motor *m, void *state) { return bring_back(m, state); }
int fmi3FreeFMUState(Motor *m, void **state) { return drop(state); }

int fmi3DoStep(Motor *m, double begin, double size, bool keep_past, bool *event, bool *over, bool *early,
               double *reached) {
  int status = advance(m, begin, size);
  *event = *early = false;
  *over = m->now.over;
  *reached = m->now.real[TIME];
  return *over ? OK : status;
}

NOT_HERE(fmi3InstantiateModelExchange) NOT_HERE(fmi3InstantiateScheduledExecution) NOT_HERE(fmi3EnterEventMode)
NOT_HERE(fmi3GetFloat32) NOT_HERE(fmi3GetInt8) NOT_HERE(fmi3GetUInt8) NOT_HERE(fmi3GetInt16) NOT_HERE(fmi3GetUInt16)
NOT_HERE(fmi3GetUInt32) NOT_HERE(fmi3GetInt64) NOT_HERE(fmi3GetUInt64) NOT_HERE(fmi3GetString) NOT_HERE(fmi3GetBinary)
NOT_HERE(fmi3GetClock) NOT_HERE(fmi3SetFloat32) NOT_HERE(fmi3SetInt8) NOT_HERE(fmi3SetUInt8) NOT_HERE(fmi3SetInt16)
NOT_HERE(fmi3SetUInt16) NOT_HERE(fmi3SetUInt32) NOT_HERE(fmi3SetInt64) NOT_HERE(fmi3SetUInt64) NOT_HERE(fmi3SetBinary)
NOT_HERE(fmi3SetClock) NOT_HERE(fmi3GetNumberOfVariableDependencies) NOT_HERE(fmi3GetVariableDependencies)
NOT_HERE(fmi3SerializedFMUStateSize) NOT_HERE(fmi3SerializeFMUState) NOT_HERE(fmi3DeserializeFMUState)
NOT_HERE(fmi3GetDirectionalDerivative) NOT_HERE(fmi3GetAdjointDerivative) NOT_HERE(fmi3EnterConfigurationMode)
NOT_HERE(fmi3ExitConfigurationMode) NOT_HERE(fmi3GetIntervalDecimal) NOT_HERE(fmi3GetIntervalFraction)
NOT_HERE(fmi3GetShiftDecimal) NOT_HERE(fmi3GetShiftFraction) NOT_HERE(fmi3SetIntervalDecimal)
NOT_HERE(fmi3SetIntervalFraction) NOT_HERE(fmi3SetShiftDecimal) NOT_HERE(fmi3SetShiftFraction)
NOT_HERE(fmi3EvaluateDiscreteStates) NOT_HERE(fmi3UpdateDiscreteStates) NOT_HERE(fmi3EnterContinuousTimeMode)
NOT_HERE(fmi3CompletedIntegratorStep) NOT_HERE(fmi3SetTime) NOT_HERE(fmi3SetContinuousStates)
NOT_HERE(fmi3GetContinuousStateDerivatives) NOT_HERE(fmi3GetEventIndicators) NOT_HERE(fmi3GetContinuousStates)
NOT_HERE(fmi3GetNominalsOfContinuousStates) NOT_HERE(fmi3GetNumberOfEventIndicators)
NOT_HERE(fmi3GetNumberOfContinuousStates) NOT_HERE(fmi3EnterStepMode) NOT_HERE(fmi3GetOutputDerivatives)
NOT_HERE(fmi3ActivateModelPartition)

#endif
