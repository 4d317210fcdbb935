/** The WebSocket of a run. It reconnects after a failure and reports its state. */

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type Message, MessageSchema, SeenSchema, Version } from "./stream_pb";

export type Body = Message["body"];
export type ConnectionState = "connecting" | "open" | "lost" | "closed";

/** Close code of the hub: the page and the server use different versions of the protocol. */
const VERSION_MISMATCH = 4406;
/** Close codes after which reconnecting is useless: no permission, unknown run, other version. */
const PERMANENT_CODES = new Set([4401, 4403, 4404, VERSION_MISMATCH]);
const FIRST_DELAY = 300; // ms
const MAX_DELAY = 5000; // ms

export interface Listener {
  receive(body: Body): void;
  changeState(state: ConnectionState, reason: string): void;
}

export class Connection {
  private socket: WebSocket | null = null;
  private closed = false;
  private delay = FIRST_DELAY;
  private timer = 0;
  /** Clock of the hub minus local clock [s], best estimate of this connection; used for the expiry of commands. */
  private clockOffset = -Infinity;

  constructor(
    private readonly address: URL,
    private readonly listener: Listener,
  ) {
    window.addEventListener("offline", this.reconnectLater);
    window.addEventListener("online", this.reconnectNow);
    this.listener.changeState("connecting", "");
    this.connect();
  }

  /** Sends a message; returns false if the connection is not open. */
  send(body: Body): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    if (body.case === "command" && this.clockOffset !== -Infinity) body.value.askedAt = performance.now() / 1000 + this.clockOffset;
    this.socket.send(toBinary(MessageSchema, create(MessageSchema, { version: Version.CURRENT, body })) as Uint8Array<ArrayBuffer>);
    return true;
  }

  close(): void {
    this.closeFor("");
  }

  /** Closes the connection permanently and reports the reason. */
  private closeFor(reason: string): void {
    this.closed = true;
    clearTimeout(this.timer);
    window.removeEventListener("offline", this.reconnectLater);
    window.removeEventListener("online", this.reconnectNow);
    this.socket?.close();
    this.listener.changeState("closed", reason);
  }

  /** Opens a socket. Events of a socket that was replaced are ignored. */
  private connect(): void {
    const socket = new WebSocket(this.address);
    this.socket = socket;
    this.clockOffset = -Infinity;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      if (socket === this.socket) this.listener.changeState("open", "");
    };
    socket.onmessage = (event: MessageEvent<unknown>) => {
      if (socket !== this.socket) return;
      this.delay = FIRST_DELAY; // only after a message: a server that accepts and closes is asked less and less often
      if (event.data instanceof ArrayBuffer) this.read(new Uint8Array(event.data));
    };
    socket.onclose = (event) => {
      if (this.closed || socket !== this.socket) return;
      if (PERMANENT_CODES.has(event.code)) this.closeFor(event.code === VERSION_MISMATCH ? "The server runs another version. Reload this page." : event.reason);
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
      this.closeFor("The server runs another version. Reload this page.");
      return;
    }
    if (message.body.case === "tick") {
      this.clockOffset = Math.max(this.clockOffset, message.body.value.clock - performance.now() / 1000);
      this.send({ case: "seen", value: create(SeenSchema) }); // tells the hub how long an empty message takes
    } else this.listener.receive(message.body);
  }
}
