/** A timer for Python, which cannot have one of the system in a browser. */

const SIGALRM = 14;

/**
 * Python looks at an "interrupt buffer" now and then while it runs. This one answers with SIGALRM when time is up, so
 * that `signal.setitimer` works: a call that takes too long ends with the verdict that `grader check` gives.
 */
export class Timer {
  private due = Infinity;
  private interval = 0;

  arm(seconds: number, interval: number): void {
    this.due = seconds > 0 ? performance.now() + 1000 * seconds : Infinity;
    this.interval = interval;
  }

  get 0(): number {
    if (performance.now() < this.due) return 0;
    this.due = this.interval > 0 ? performance.now() + 1000 * this.interval : Infinity;
    return SIGALRM;
  }

  set 0(_signal: number) {
    // Python acknowledges a signal by writing 0.
  }
}
