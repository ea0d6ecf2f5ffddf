import type { Clock } from "#domain/clock.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Service } from "#domain/service.ts";
import type { NodeStore } from "#store/store.ts";

/** A task that one node at a time performs: started where the role is held, ended before another node can hold it. */
export interface Leadership extends Service {
  /** Whether this node certainly holds the role now. */
  isLeading(): boolean;
}

export interface LeadershipDeps {
  readonly nodes: Pick<NodeStore, "claimRole" | "releaseRole">;
  readonly role: string;
  readonly id: string;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Starts the task and returns a function that ends it. A failure releases the role; it is renewed meanwhile, and
   * if that fails the task is ended as soon as it has started.
   */
  readonly lead: () => Promise<() => Promise<void>>;
}

const ROLE_MS = 5_000;
const RENEW_MS = 1_000;

export function createLeadership(deps: LeadershipDeps): Leadership {
  return new RoleHolder(deps);
}

class RoleHolder implements Leadership {
  readonly #deps: LeadershipDeps;
  #leadsUntilMs = -Infinity;
  #resign: (() => Promise<void>) | null = null;
  #isStopped = false;
  #forget: () => void = () => undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(deps: LeadershipDeps) {
    this.#deps = deps;
  }

  isLeading(): boolean {
    return this.#deps.clock.nowMs() < this.#leadsUntilMs;
  }

  async run(): Promise<void> {
    this.#turnLater(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#forget();
    await this.#underWay;
    await this.#end();
    this.#leadsUntilMs = -Infinity;
    await this.#deps.nodes.releaseRole(this.#deps.role, this.#deps.id);
  }

  async #turn(): Promise<void> {
    const { role, log, lead, nodes, id } = this.#deps;
    if (!(await this.#claim())) {
      await this.#end();
      return;
    }
    if (this.#resign !== null || this.#isStopped) return;
    log.info({ task: role }, "this node leads now");
    try {
      this.#resign = await this.#renewingUntil(lead());
    } catch (error) {
      log.error({ task: role, ...describeError(error) }, "the lead failed");
      await nodes.releaseRole(role, id);
      return;
    }
    if (!this.isLeading()) await this.#end();
  }

  /** A task may take longer to start than a role lasts. A role that was lost meanwhile is not claimed again. */
  async #renewingUntil<Result>(started: Promise<Result>): Promise<Result> {
    const { clock } = this.#deps;
    let isOver = false;
    let renewal: Promise<void> = Promise.resolve();
    let forget: () => void = () => undefined;
    const renew = async (): Promise<void> => {
      if ((await this.#claim()) && !isOver) renewLater();
    };
    const renewLater = (): void => {
      forget = clock.schedule(RENEW_MS, () => {
        renewal = renew();
      });
    };
    renewLater();
    try {
      return await started;
    } finally {
      isOver = true;
      forget();
      await renewal;
    }
  }

  async #claim(): Promise<boolean> {
    const { nodes, role, id, clock, log } = this.#deps;
    // Read before the query is sent, so that this node's expiry is never later than the database's.
    const askedAtMs = clock.nowMs();
    try {
      this.#leadsUntilMs = (await nodes.claimRole(role, id, ROLE_MS)) ? askedAtMs + ROLE_MS : -Infinity;
    } catch (error) {
      // A role that was granted holds until it expires.
      log.warn({ task: role, ...describeError(error) }, "a role was not renewed");
    }
    return this.isLeading();
  }

  async #end(): Promise<void> {
    const ending = this.#resign;
    this.#resign = null;
    if (ending === null) return;
    this.#deps.log.info({ task: this.#deps.role }, "this node does not lead any more");
    await ending();
  }

  #turnLater(afterMs: number): void {
    if (this.#isStopped) return;
    const { clock, role, log } = this.#deps;
    this.#forget = clock.schedule(afterMs, () => {
      this.#underWay = this.#turn()
        .catch((error: unknown) => log.error({ task: role, ...describeError(error) }, "a role's turn failed"))
        .finally(() => this.#turnLater(RENEW_MS));
    });
  }
}
