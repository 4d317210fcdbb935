/** The WebSocket of a run. It reconnects after a failure and reports its state. */

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { HubClock } from "./clock";
import { type Message, MessageSchema, PingSchema, SeenSchema, Version } from "./stream_pb";

export type Body = Message["body"];
export type ConnectionState = "connecting" | "open" | "lost" | "closed";

/** Close codes of the hub: no permission; the page and the server use different versions of the protocol. */
const [FORBIDDEN, VERSION_MISMATCH] = [4403, 4406];
const OTHER_VERSION = "The server runs another version. Reload this page.";
const OTHER_TOKEN = "The server does not accept the token of this page; it was probably started again. Open the address that it printed.";
/** Close codes after which reconnecting is useless: no permission, unknown run, other version. */
const PERMANENT_CODES = new Set([4401, FORBIDDEN, 4404, VERSION_MISMATCH]);
const FIRST_DELAY = 300; // ms
const MAX_DELAY = 5000; // ms
const PING_INTERVAL = 2000; // ms

export interface Listener {
  receive(body: Body): void;
  /** Called after each message, with the latest round trip [s] if the message measured it. */
  hear(roundTrip: number | null): void;
  changeState(state: ConnectionState, reason: string): void;
}

/** The reason of a permanent end, for the user. */
function reasonOf({ code, reason }: CloseEvent): string {
  if (code === VERSION_MISMATCH) return OTHER_VERSION;
  return code === FORBIDDEN && reason.includes("token") ? OTHER_TOKEN : `No connection to this run: ${reason || `code ${code}`}.`;
}

function localTime(): number {
  return performance.now() / 1000;
}

export class Connection {
  private socket: WebSocket | null = null;
  private closed = false;
  private delay = FIRST_DELAY;
  private timer = 0;
  private readonly pings: number;
  private clock = new HubClock();

  constructor(
    private readonly address: URL,
    private readonly listener: Listener,
  ) {
    window.addEventListener("offline", this.reconnectLater);
    window.addEventListener("online", this.reconnectNow);
    this.pings = window.setInterval(() => this.ping(), PING_INTERVAL);
    this.listener.changeState("connecting", "");
    this.connect();
  }

  /** Sends a message; returns false if the connection is not open. */
  send(body: Body): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    if (body.case === "command") body.value.askedAt = this.hubTime() ?? 0;
    this.socket.send(toBinary(MessageSchema, create(MessageSchema, { version: Version.CURRENT, body })) as Uint8Array<ArrayBuffer>);
    return true;
  }

  /** The time of the hub now [s]; null while it is unknown. */
  hubTime(): number | null {
    return this.clock.at(localTime());
  }

  private ping(): void {
    this.send({ case: "ping", value: create(PingSchema, { sent: localTime() }) });
  }

  close(): void {
    this.closeFor("");
  }

  /** Closes the connection permanently and reports the reason. */
  private closeFor(reason: string): void {
    this.closed = true;
    clearTimeout(this.timer);
    clearInterval(this.pings);
    window.removeEventListener("offline", this.reconnectLater);
    window.removeEventListener("online", this.reconnectNow);
    this.socket?.close();
    this.listener.changeState("closed", reason);
  }

  /** Opens a socket. Events of a socket that was replaced are ignored. */
  private connect(): void {
    const socket = new WebSocket(this.address);
    this.socket = socket;
    this.clock = new HubClock();
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      if (socket !== this.socket) return;
      this.listener.changeState("open", "");
      this.ping();
    };
    socket.onmessage = (event: MessageEvent<unknown>) => {
      if (socket !== this.socket) return;
      this.delay = FIRST_DELAY; // only after a message: a server that accepts and closes is asked less and less often
      if (event.data instanceof ArrayBuffer) this.read(new Uint8Array(event.data));
    };
    socket.onclose = (event) => {
      if (this.closed || socket !== this.socket) return;
      if (PERMANENT_CODES.has(event.code)) this.closeFor(reasonOf(event));
      else this.reconnectLater();
    };
  }

  /** Drops the socket and reconnects later. Without a network, a socket does not report the failure by itself. */
  private readonly reconnectLater = (): void => {
    this.socket?.close();
    this.socket = null;
    this.listener.changeState("lost", "");
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.connect(), this.delay);
    this.delay = Math.min(MAX_DELAY, 2 * this.delay);
  };

  /** Reconnects at once when the network is back: an attempt that began without a network may never end. */
  private readonly reconnectNow = (): void => {
    if (this.socket?.readyState === WebSocket.OPEN) return;
    clearTimeout(this.timer);
    this.delay = FIRST_DELAY;
    this.socket?.close();
    this.connect();
  };

  private read(bytes: Uint8Array): void {
    const message = fromBinary(MessageSchema, bytes);
    if (message.version !== Version.CURRENT) {
      this.closeFor(OTHER_VERSION);
      return;
    }
    const { body } = message;
    const now = localTime();
    this.listener.hear(body.case === "ping" ? this.clock.measure(body.value, now) : null);
    if (body.case === "tick") {
      this.clock.hear(body.value.clock, now);
      this.send({ case: "seen", value: create(SeenSchema) }); // tells the hub how long an empty message takes
    } else if (body.case !== "ping") this.listener.receive(body);
  }
}
