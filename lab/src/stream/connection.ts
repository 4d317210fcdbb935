/** The WebSocket of a run: joins again when it drops, and says so. */

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type Message, MessageSchema, Version } from "./stream_pb";

export type Body = Message["body"];
export type LinkState = "joining" | "open" | "lost" | "closed";

/** The hub's code for a page that is older or newer than the server. */
const OTHER_VERSION = 4406;
/** The hub's codes for: no right to look, no such run. */
const FINAL = new Set([4401, 4403, 4404, OTHER_VERSION]);
const FIRST_WAIT = 300;
const LONGEST_WAIT = 5000;

export interface Listener {
  take(body: Body): void;
  state(state: LinkState, reason: string): void;
}

export class Connection {
  private socket: WebSocket | null = null;
  private closed = false;
  private wait = FIRST_WAIT;
  private timer = 0;
  /** The hub's clock minus ours [s], as well as this connection knows it: commands expire by it. */
  private ahead = -Infinity;

  constructor(
    private readonly address: URL,
    private readonly listener: Listener,
  ) {
    window.addEventListener("offline", this.lose);
    window.addEventListener("online", this.joinNow);
    this.listener.state("joining", "");
    this.join();
  }

  /** False if the message could not be sent now. */
  send(body: Body): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    if (body.case === "command" && this.ahead !== -Infinity) body.value.askedAt = performance.now() / 1000 + this.ahead;
    this.socket.send(toBinary(MessageSchema, create(MessageSchema, { version: Version.CURRENT, body })) as Uint8Array<ArrayBuffer>);
    return true;
  }

  close(): void {
    this.end("");
  }

  /** For good, with the reason why. */
  private end(reason: string): void {
    this.closed = true;
    clearTimeout(this.timer);
    window.removeEventListener("offline", this.lose);
    window.removeEventListener("online", this.joinNow);
    this.socket?.close();
    this.listener.state("closed", reason);
  }

  /** Opens a socket. What comes of one that has been given up is not listened to. */
  private join(): void {
    const socket = new WebSocket(this.address);
    this.socket = socket;
    this.ahead = -Infinity;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      if (socket === this.socket) this.listener.state("open", "");
    };
    socket.onmessage = (event: MessageEvent<unknown>) => {
      if (socket !== this.socket) return;
      this.wait = FIRST_WAIT; // who only opens and closes is asked less and less often
      if (event.data instanceof ArrayBuffer) this.read(new Uint8Array(event.data));
    };
    socket.onclose = (event) => {
      if (this.closed || socket !== this.socket) return;
      if (FINAL.has(event.code)) this.end(event.code === OTHER_VERSION ? "The server has another version: load this page again." : event.reason);
      else this.lose();
    };
  }

  /** Gives up the socket and joins again later: without a network no socket says by itself that nobody hears it. */
  private readonly lose = (): void => {
    this.socket?.close();
    this.socket = null;
    this.listener.state("lost", "");
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.join(), this.wait);
    this.wait = Math.min(LONGEST_WAIT, 2 * this.wait);
  };

  /** The network is back: an attempt that began without it may never end. */
  private readonly joinNow = (): void => {
    if (this.socket?.readyState === WebSocket.OPEN) return;
    clearTimeout(this.timer);
    this.wait = FIRST_WAIT;
    this.socket?.close();
    this.join();
  };

  private read(bytes: Uint8Array): void {
    const message = fromBinary(MessageSchema, bytes);
    if (message.version !== Version.CURRENT) {
      this.end("The server has another version: load this page again.");
      return;
    }
    if (message.body.case === "tick") this.ahead = Math.max(this.ahead, message.body.value.clock - performance.now() / 1000);
    else this.listener.take(message.body);
  }
}
