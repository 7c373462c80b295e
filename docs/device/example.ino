// An Arduino as the referee's console: three lamps, a buzzer, one button. Put goband_line.h and goband_line.c beside this
// file. Public domain (CC0).
#include <EEPROM.h>

#include "goband_line.h"

const int GREEN = 2, AMBER = 3, RED = 4, BUZZER = 5, BUTTON = 6;

goband_line port;
char session[12];

void toPort(void *, const uint8_t *bytes, size_t count) { Serial.write(bytes, count); }

void lamps(bool green, bool amber, bool red) {
  digitalWrite(GREEN, green);
  digitalWrite(AMBER, amber);
  digitalWrite(RED, red);
}

void show(const char *state) {
  bool fault = !strcmp(state, "fault");
  // what this version does not know is at least worth a look
  bool attention = !fault && strcmp(state, "idle") && strcmp(state, "infraction");
  lamps(!strcmp(state, "idle"), fault || attention, fault || !strcmp(state, "infraction"));
}

bool fromGoband(void *, int count, char *const fields[]) {
  const char *type = fields[0];
  if (!strcmp(type, "SILENT") || !strcmp(type, "BYE")) {
    lamps(false, true, true);  // goband is not there: never green
  } else if ((!strcmp(type, "STATE") || !strcmp(type, "BEAT")) && count > 1) {
    show(fields[1]);
  } else if (!strcmp(type, "ALARM") && count > 2 && !strcmp(fields[2], "infraction")) {
    tone(BUZZER, 2000, 1000);
  } else if (!strcmp(type, "SEEN") || !strcmp(type, "CLEAR")) {
    noTone(BUZZER);
  } else if (strcmp(type, "HELLO") && strcmp(type, "MOVE") && strcmp(type, "ALARM")) {
    return false;
  }
  return true;
}

void setup() {
  for (int pin = GREEN; pin <= BUZZER; pin++) pinMode(pin, OUTPUT);
  pinMode(BUTTON, INPUT_PULLUP);
  lamps(false, true, true);
  uint32_t starts;
  EEPROM.get(0, starts);
  EEPROM.put(0, ++starts);
  ultoa(starts, session, 16);
  Serial.begin(115200);
  goband_begin(&port, toPort, fromGoband, NULL, "Arduino console", session, "console");
}

void loop() {
  static bool wasDown = false;
  static uint32_t changed = 0;
  while (Serial.available()) goband_receive(&port, Serial.read(), millis());
  bool isDown = digitalRead(BUTTON) == LOW;
  if (isDown != wasDown && millis() - changed > 30) {
    changed = millis();
    wasDown = isDown;
    if (isDown) goband_send(&port, "BUTTON,ack,0");
  }
  goband_poll(&port, millis());
}
