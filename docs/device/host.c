/* A device on this computer: a console and a clock in one, on standard input and output. It shows on standard error what a
 * device would show, one line each; goband's tests run it. Argument: press the clock every so many milliseconds.
 *
 *     cc -std=c99 -O2 -o device host.c goband_line.c
 *
 * Public domain (CC0).
 */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "goband_line.h"

static goband_line port;
static uint32_t now_ms;

/* The clock: what is left of each side, whose time runs (0 none, 1 black, 2 white), the newest order that was obeyed. */
static uint32_t left_ms[3] = {0, 600000, 600000};
static int running = 1;
static unsigned long obeyed;

static uint32_t milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint32_t)((uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000);
}

static void to_port(void *user, const uint8_t *bytes, size_t count) {
    (void)user;
    while (count) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written <= 0) exit(0); /* the port is gone */
        bytes += written;
        count -= (size_t)written;
    }
}

static void tell_time(void) {
    char payload[120];
    char side = running == 0 ? '-' : running == 1 ? 'B' : 'W';
    snprintf(payload, sizeof payload, "TIME,%lu,main:%lu,main:%lu,%c,%c", (unsigned long)now_ms,
             (unsigned long)left_ms[1], (unsigned long)left_ms[2], side, side);
    goband_tell(&port, payload);
}

static void set_side(int side, const char *text) {
    unsigned long ms;
    if (sscanf(text, "main:%lu", &ms) == 1 || sscanf(text, "time:%lu", &ms) == 1) left_ms[side] = (uint32_t)ms;
}

static bool from_goband(void *user, int count, char *const fields[]) {
    const char *type = fields[0];
    (void)user;
    if (!strcmp(type, "BEAT")) return true;
    if (!strcmp(type, "HELLO")) obeyed = 0;
    bool is_stop = !strcmp(type, "CLOCKSTOP"), is_run = !strcmp(type, "CLOCKRUN");
    if ((is_stop || is_run) && count > 2) {
        unsigned long order = strtoul(fields[1], NULL, 10);
        if (order <= obeyed) return true;
        obeyed = order;
        running = is_stop ? 0 : fields[2][0] == 'B' ? 1 : 2;
        if (count > 4) {
            set_side(1, fields[3]);
            set_side(2, fields[4]);
        }
        tell_time();
    } else if (strcmp(type, "HELLO") && strcmp(type, "STATE") && strcmp(type, "MOVE") && strcmp(type, "ALARM") &&
               strcmp(type, "SEEN") && strcmp(type, "CLEAR") && strcmp(type, "SAY") && strcmp(type, "BYE") &&
               strcmp(type, "SILENT")) {
        return false;
    }
    for (int i = 0; i < count; i++) fprintf(stderr, "%s%s", i ? " | " : "", fields[i]);
    fputc('\n', stderr);
    return true;
}

int main(int argc, char **argv) {
    uint32_t press_every_ms = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    char session[24];
    now_ms = milliseconds();
    snprintf(session, sizeof session, "H%lX", (unsigned long)now_ms ^ (unsigned long)getpid());
    goband_begin(&port, to_port, from_goband, NULL, "C device", session, "console clock");
    uint32_t pressed_ms = now_ms, told_ms = now_ms, before_ms = now_ms;
    for (;;) {
        struct pollfd in = {STDIN_FILENO, POLLIN, 0};
        poll(&in, 1, 5);
        now_ms = milliseconds();
        if (in.revents) {
            uint8_t bytes[256];
            ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
            if (count <= 0) return 0;
            for (ssize_t i = 0; i < count; i++) goband_receive(&port, bytes[i], now_ms);
        }
        if (running) {
            uint32_t passed = now_ms - before_ms;
            left_ms[running] -= passed < left_ms[running] ? passed : left_ms[running];
        }
        before_ms = now_ms;
        if (press_every_ms && running && now_ms - pressed_ms >= press_every_ms) {
            char payload[32];
            pressed_ms = now_ms;
            snprintf(payload, sizeof payload, "PRESS,%c,%lu", running == 1 ? 'B' : 'W', (unsigned long)now_ms);
            if (goband_send(&port, payload)) {
                fprintf(stderr, "pressed %c\n", running == 1 ? 'B' : 'W');
                running = 3 - running;
                tell_time();
            }
        }
        if (now_ms - told_ms >= 1000) {
            told_ms = now_ms;
            tell_time();
        }
        goband_poll(&port, now_ms);
    }
}
