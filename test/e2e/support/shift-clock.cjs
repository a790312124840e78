// Loaded into a process before its program: SIGUSR2 moves its calendar an hour ahead, the next one an hour back from the
// truth, the next one to the truth again. The monotonic clock stays as it is, as when a host's clock is set.
const RealDate = Date;
const STEPS = [3_600_000, -3_600_000, 0];
let step = -1;
let shift = 0;

globalThis.Date = class Date extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + shift);
    else super(...args);
  }

  static now() {
    return RealDate.now() + shift;
  }
};

process.on('SIGUSR2', () => {
  step = (step + 1) % STEPS.length;
  shift = STEPS[step];
});
