/* goband's line protocol, the device's side. Specification: docs/serial-protocol.md.
 *
 * Portable C99 without heap, stdio or operating system: about 1.3 KiB of RAM for each line. Give it the bytes that come in
 * (goband_receive) and the time (goband_poll, every few milliseconds); it writes bytes through your function and tells
 * your handler what goband says. It does framing, checksums, acknowledgements, repetition, HELLO, heartbeat and silence.
 *
 * Public domain (CC0): build what you like with it.
 */
#ifndef GOBAND_LINE_H
#define GOBAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GOBAND_MAX_LINE 512   /* from '$' to LF */
#define GOBAND_MAX_FIELDS 12  /* further fields are ignored */
#define GOBAND_QUEUE 8        /* presses and buttons that wait for their acknowledgement */
#define GOBAND_MAX_OUT 48     /* the longest payload that this side sends with a number */

/* Writes bytes to the port. */
typedef void (*goband_write)(void *user, const uint8_t *bytes, size_t count);

/* A message: fields[0] is its type ("STATE", "ALARM", "CLOCKSTOP", …), the fields are decoded and end with a zero. What came
 * before (a repetition) does not come here again. "SILENT" with one field: nothing was heard from goband for 3 s, show that
 * plainly; "BYE": goband ends. A message to the clock has to be obeyed before the handler returns: the acknowledgement,
 * which is sent after that, says that it was. False: the message is not known; goband is told so. */
typedef bool (*goband_handler)(void *user, int count, char *const fields[]);

typedef struct {
    goband_write write;
    goband_handler handler;
    void *user;
    const char *name;     /* what goband's page calls the device */
    const char *session;  /* new at every start: a counter in EEPROM, or a random number */
    const char *roles;    /* "console", "clock", or "console clock" */

    char line[GOBAND_MAX_LINE];
    size_t length;
    bool in_line;

    uint16_t last_taken;  /* number of the last line that was taken; 0: none */
    char peer[24];        /* goband's session */
    bool is_there;        /* goband was heard within the last 3 s */
    uint32_t heard_ms, beat_ms, hello_ms, nak_ms;
    bool hello_sent;

    char queue[GOBAND_QUEUE][GOBAND_MAX_OUT];
    unsigned queue_first, queue_count;
    uint16_t number;      /* of the line under way */
    bool under_way;
    unsigned tries;
    uint32_t due_ms;
} goband_line;

/* Begins; sends HELLO with the first goband_poll. The texts must outlive the line. */
void goband_begin(goband_line *g, goband_write write, goband_handler handler, void *user,
                  const char *name, const char *session, const char *roles);

/* A byte has come in. */
void goband_receive(goband_line *g, uint8_t byte, uint32_t now_ms);

/* Does what is due; now_ms is a millisecond counter that may overflow. */
void goband_poll(goband_line *g, uint32_t now_ms);

/* Sends a message that goband acknowledges, such as "PRESS,B,123456" or "BUTTON,ack,0". False if too many wait. */
bool goband_send(goband_line *g, const char *payload);

/* Sends a message that wants no acknowledgement, such as "TIME,123456,main:600000,main:600000,B,B". */
void goband_tell(goband_line *g, const char *payload);

/* CRC-16/CCITT-FALSE. */
uint16_t goband_crc(const char *bytes, size_t count);

#ifdef __cplusplus
}
#endif
#endif
