/** Levels of isosurfaces while a slider is dragged: a new level is requested when the surface of the last one has arrived. */

const PATIENCE = 2000; // ms after which the next level is requested without an answer

export class LevelRequests {
  private readonly asked = new Map<number, { level: number; at: number }>();

  /** The level to request for a surface. answered: whether a surface at the level requested last has arrived. now [ms]. */
  next(id: number, wanted: number, answered: (level: number) => boolean, now: number): number {
    const last = this.asked.get(id);
    if (last && last.level !== wanted && !answered(last.level) && now - last.at < PATIENCE) return last.level;
    if (last?.level !== wanted) this.asked.set(id, { level: wanted, at: now });
    return wanted;
  }

  clear(): void {
    this.asked.clear();
  }
}
