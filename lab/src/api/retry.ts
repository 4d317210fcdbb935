/** Limits repeated requests: each key once at a time, with growing delays after failures. */

const FIRST_DELAY = 1000; // ms until the first retry; doubled each time
const MAX_DELAY = 10_000; // ms
/** HTTP statuses after which a retry is useless. */
const PERMANENT_FAILURES = new Set([404, 422]);

export class RequestGate {
  private readonly pending = new Set<string>();
  private readonly unavailable = new Set<string>();
  private readonly failed = new Map<string, { readonly delay: number; readonly until: number }>();

  /** maxPending: number of simultaneous requests. */
  constructor(private readonly maxPending: number) {}

  /** True if the request should be sent now; the caller must call `end` or `fail` afterwards. now: monotonic clock [ms]. */
  begin(key: string, now: number): boolean {
    const isWaiting = now < (this.failed.get(key)?.until ?? -Infinity);
    if (isWaiting || this.pending.has(key) || this.unavailable.has(key) || this.pending.size >= this.maxPending) return false;
    this.pending.add(key);
    return true;
  }

  /** Marks a request as done or no longer needed. */
  end(key: string): void {
    this.pending.delete(key);
    this.failed.delete(key);
  }

  /** Marks a request as failed. Returns the delay until the next attempt [ms], or null for never. status: HTTP status, 0 if
   * there was no response. */
  fail(key: string, status: number, now: number): number | null {
    this.pending.delete(key);
    if (PERMANENT_FAILURES.has(status)) {
      this.failed.delete(key);
      this.unavailable.add(key);
      return null;
    }
    const previous = this.failed.get(key);
    const delay = previous ? Math.min(MAX_DELAY, 2 * previous.delay) : FIRST_DELAY;
    this.failed.set(key, { delay, until: now + delay });
    return delay;
  }
}
