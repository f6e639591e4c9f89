import fc from 'fast-check';

// One seed for all random runs, so that a run can be repeated and a change is not blamed for a rare, unrelated failure.
// SEED=random tries new ones; a counterexample is printed with its seed.
if (process.env.SEED !== 'random') fc.configureGlobal({ seed: Number(process.env.SEED ?? 20_261_121) });
