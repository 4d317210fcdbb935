/** Who asks for many things, again and again: each once at a time, and with patience where it could not be had. */

const FIRST_PAUSE = 1000; // ms until what went wrong is asked for again; twice as long each time
const LONGEST_PAUSE = 10_000;
/** Statuses of what is not there, and will not be. */
const FINAL = new Set([404, 422]);

export class Asking {
  private readonly underWay = new Set<string>();
  private readonly absent = new Set<string>();
  private readonly failed = new Map<string, { readonly pause: number; readonly until: number }>();

  /** most: requests at a time. */
  constructor(private readonly most: number) {}

  /** Whether to ask now; `now`: ms on a clock that never goes back. If so, `end` or `fail` must follow. */
  begin(key: string, now: number): boolean {
    const waits = now < (this.failed.get(key)?.until ?? -Infinity);
    if (waits || this.underWay.has(key) || this.absent.has(key) || this.underWay.size >= this.most) return false;
    this.underWay.add(key);
    return true;
  }

  /** It has come, or is wanted no more. */
  end(key: string): void {
    this.underWay.delete(key);
    this.failed.delete(key);
  }

  /** It could not be had. Gives the time until `begin` says yes again [ms]; null: never. status: of HTTP, 0 for no
   * answer. */
  fail(key: string, status: number, now: number): number | null {
    this.underWay.delete(key);
    if (FINAL.has(status)) {
      this.failed.delete(key);
      this.absent.add(key);
      return null;
    }
    const before = this.failed.get(key);
    const pause = before ? Math.min(LONGEST_PAUSE, 2 * before.pause) : FIRST_PAUSE;
    this.failed.set(key, { pause, until: now + pause });
    return pause;
  }
}
