/* goband's line protocol, the device's side: see goband_line.h. Public domain (CC0). */
#include "goband_line.h"

#include <string.h>

#define ACK_MS 250       /* how long a line waits for its acknowledgement */
#define PATIENT_MS 1000  /* after six tries */
#define BUSY_MS 500
#define BEAT_MS 1000
#define SILENCE_MS 3000
#define NAK_MS 50

static bool is_past(uint32_t now_ms, uint32_t due_ms) {
    return (int32_t)(now_ms - due_ms) >= 0; /* right also when the counter overflows */
}

uint16_t goband_crc(const char *bytes, size_t count) {
    uint16_t crc = 0xFFFF;
    for (size_t i = 0; i < count; i++) {
        crc ^= (uint16_t)((uint16_t)(uint8_t)bytes[i] << 8);
        for (int bit = 0; bit < 8; bit++) {
            crc = (uint16_t)((crc & 0x8000) ? (crc << 1) ^ 0x1021 : crc << 1);
        }
    }
    return crc;
}

static size_t put_number(char *out, uint32_t number) {
    char digits[10];
    size_t count = 0, length = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (count) {
        out[length++] = digits[--count];
    }
    return length;
}

/* '$' number ',' payload '*' CRC CR LF */
static void put_line(goband_line *g, uint16_t number, const char *payload) {
    static const char hex[] = "0123456789ABCDEF";
    char line[GOBAND_MAX_OUT + 160];
    size_t length = 0;
    line[length++] = '$';
    length += put_number(line + length, number);
    line[length++] = ',';
    for (const char *p = payload; *p && length < sizeof line - 8; p++) {
        line[length++] = *p;
    }
    uint16_t crc = goband_crc(line + 1, length - 1);
    line[length++] = '*';
    for (int shift = 12; shift >= 0; shift -= 4) {
        line[length++] = hex[(crc >> shift) & 15];
    }
    line[length++] = '\r';
    line[length++] = '\n';
    g->write(g->user, (const uint8_t *)line, length);
}

void goband_tell(goband_line *g, const char *payload) {
    put_line(g, 0, payload);
}

static void append(char *out, size_t size, const char *text) {
    size_t length = strlen(out);
    while (*text && length + 1 < size) {
        out[length++] = *text++;
    }
    out[length] = 0;
}

static void hello(goband_line *g, uint32_t now_ms) {
    char payload[GOBAND_MAX_OUT + 100] = "HELLO,1,";
    append(payload, sizeof payload, g->name);
    append(payload, sizeof payload, ",");
    append(payload, sizeof payload, g->session);
    append(payload, sizeof payload, ",");
    append(payload, sizeof payload, g->roles);
    goband_tell(g, payload);
    g->hello_ms = now_ms;
    g->hello_sent = true;
}

void goband_begin(goband_line *g, goband_write write, goband_handler handler, void *user,
                  const char *name, const char *session, const char *roles) {
    memset(g, 0, sizeof *g);
    g->write = write;
    g->handler = handler;
    g->user = user;
    g->name = name;
    g->session = session;
    g->roles = roles;
}

bool goband_send(goband_line *g, const char *payload) {
    if (g->queue_count == GOBAND_QUEUE || strlen(payload) >= GOBAND_MAX_OUT) {
        return false;
    }
    strcpy(g->queue[(g->queue_first + g->queue_count) % GOBAND_QUEUE], payload);
    g->queue_count++;
    return true;
}

static void done_with_first(goband_line *g) {
    g->queue_first = (g->queue_first + 1) % GOBAND_QUEUE;
    g->queue_count--;
    g->under_way = false;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/* %XX; in place, since it only gets shorter. False: no text. */
static bool unescape(char *field) {
    char *out = field;
    for (const char *in = field; *in; in++) {
        if (*in == '%') {
            int high = hex_digit(in[1]);
            int low = high < 0 ? -1 : hex_digit(in[2]);
            if (low < 0) return false;
            *out++ = (char)(high * 16 + low);
            in += 2;
        } else {
            *out++ = *in;
        }
    }
    *out = 0;
    return true;
}

/* A decimal number of at most `most`; -1: none. */
static int32_t read_number(const char *text, int32_t most) {
    int32_t number = 0;
    if (!*text) return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return -1;
        number = number * 10 + (*text - '0');
        if (number > most) return -1;
    }
    return number;
}

static void answer(goband_line *g, const char *type, uint16_t number, const char *reason) {
    char payload[32] = "";
    append(payload, sizeof payload, type);
    payload[strlen(payload) + put_number(payload + strlen(payload), number)] = 0;
    append(payload, sizeof payload, reason);
    goband_tell(g, payload);
}

static void take(goband_line *g, uint16_t number, int count, char *fields[], uint32_t now_ms) {
    const char *type = fields[0];
    g->heard_ms = now_ms;
    if (!strcmp(type, "ACK") || !strcmp(type, "NAK")) {
        int32_t about = count > 1 ? read_number(fields[1], 65535) : -1;
        bool is_ours = g->under_way && about == g->number;
        const char *reason = count > 2 ? fields[2] : "";
        if (type[0] == 'A') {
            if (is_ours) done_with_first(g);
        } else if (is_ours && !strcmp(reason, "unknown")) {
            done_with_first(g);
        } else if (is_ours && !strcmp(reason, "busy")) {
            g->due_ms = now_ms + BUSY_MS;
        } else if (g->under_way && (about == 0 || is_ours)) {
            g->due_ms = now_ms + NAK_MS;
        }
        return;
    }
    if (!strcmp(type, "HELLO")) {
        if (count > 3 && strncmp(g->peer, fields[3], sizeof g->peer - 1)) {
            /* another goband: its numbers start anew */
            g->peer[0] = 0;
            append(g->peer, sizeof g->peer, fields[3]);
            g->last_taken = 0;
        }
        g->is_there = true;
        hello(g, now_ms);
        g->handler(g->user, count, fields);
        return;
    }
    if (!g->peer[0] && (!g->hello_sent || is_past(now_ms, g->hello_ms + BEAT_MS))) {
        hello(g, now_ms); /* it should say who it is */
    }
    g->is_there = strcmp(type, "BYE") != 0;
    if (!number) {
        g->handler(g->user, count, fields);
        return;
    }
    if (number == g->last_taken) {
        answer(g, "ACK,", number, ""); /* the acknowledgement was lost: once more, and nothing else */
        return;
    }
    if (g->handler(g->user, count, fields)) {
        g->last_taken = number;
        answer(g, "ACK,", number, "");
    } else {
        answer(g, "NAK,", number, ",unknown");
    }
}

static void decode(goband_line *g, uint32_t now_ms) {
    char *line = g->line;
    size_t length = g->length;
    if (length && line[length - 1] == '\r') length--;
    if (length < 6 || line[length - 5] != '*') return;
    int crc = 0;
    for (size_t i = length - 4; i < length; i++) {
        int digit = hex_digit(line[i]);
        if (digit < 0) return;
        crc = crc * 16 + digit;
    }
    length -= 5;
    if (goband_crc(line, length) != crc) {
        if (is_past(now_ms, g->nak_ms)) {
            g->nak_ms = now_ms + NAK_MS; /* noise must not be answered with noise */
            goband_tell(g, "NAK,0,crc");
        }
        return;
    }
    line[length] = 0;
    char *fields[GOBAND_MAX_FIELDS + 1];
    int count = 0;
    fields[count++] = line;
    for (char *p = line; *p; p++) {
        if (*p == ',') {
            *p = 0;
            if (count > GOBAND_MAX_FIELDS) break;
            fields[count++] = p + 1;
        }
    }
    int32_t number = read_number(fields[0], 65535);
    if (number < 0 || count < 2) return;
    for (int i = 1; i < count; i++) {
        if (!unescape(fields[i])) return;
    }
    take(g, (uint16_t)number, count - 1, fields + 1, now_ms);
}

void goband_receive(goband_line *g, uint8_t byte, uint32_t now_ms) {
    if (byte == '$') {
        g->in_line = true; /* whatever came before: a line begins here */
        g->length = 0;
    } else if (!g->in_line) {
        /* between lines */
    } else if (byte == '\n') {
        g->in_line = false;
        decode(g, now_ms);
    } else if ((byte == '\r' || (byte >= 0x20 && byte < 0x7F)) && g->length < sizeof g->line - 1) {
        g->line[g->length++] = (char)byte;
    } else {
        g->in_line = false;
    }
}

void goband_poll(goband_line *g, uint32_t now_ms) {
    if (!g->hello_sent) {
        hello(g, now_ms);
        g->beat_ms = now_ms;
    }
    if (is_past(now_ms, g->beat_ms)) {
        char payload[24] = "BEAT,";
        payload[5 + put_number(payload + 5, now_ms)] = 0;
        goband_tell(g, payload);
        g->beat_ms = now_ms + BEAT_MS;
    }
    if (g->is_there && is_past(now_ms, g->heard_ms + SILENCE_MS)) {
        char silent[] = "SILENT";
        char *fields[] = {silent};
        g->is_there = false;
        g->handler(g->user, 1, fields);
    }
    if (g->queue_count && !g->under_way) {
        g->number = (uint16_t)(g->number % 65535 + 1);
        g->under_way = true;
        g->tries = 0;
        g->due_ms = now_ms;
    }
    if (g->under_way && is_past(now_ms, g->due_ms)) {
        put_line(g, g->number, g->queue[g->queue_first]);
        g->tries++;
        g->due_ms = now_ms + (g->tries > 5 ? PATIENT_MS : ACK_MS);
    }
}
