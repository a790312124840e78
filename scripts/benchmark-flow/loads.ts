import type { BandLoad, Scenario } from '../../runtime/simulator/scenarios/scenario';

/** Of the fleet's capacity, at every load: the same requests at the same moments, for one seed. */
const CRITICAL = 0.3;

const WARMUP_SECONDS = 60;

/** Loads of a fleet as multiples of its capacity. What Critical leaves is split evenly between the other bands. */
export function bandLoad(fleet: Scenario, capacity: number, load: number, seconds: number): Scenario {
  const other = (load - CRITICAL) / 2 / load;
  return withBands(fleet, load * capacity, seconds, [
    { priority: 1, share: CRITICAL / load },
    { priority: 0, share: other },
    { priority: -1, share: other },
  ]);
}

/** Twice the capacity; all but Critical is of four Standard tenants, whose rates and sizes differ. */
export function tenantLoad(fleet: Scenario, capacity: number, seconds: number): Scenario {
  const tenants = [
    { share: 2, size: 1 },
    { share: 3, size: 1 },
    { share: 1.5, size: 2 },
    { share: 6, size: 0.5 },
  ];
  return withBands(fleet, 2 * capacity, seconds, [
    { priority: 1, share: CRITICAL / 2 },
    { priority: 0, share: 1 - CRITICAL / 2, tenants },
  ]);
}

function withBands(fleet: Scenario, ratePerSecond: number, seconds: number, bands: BandLoad[]): Scenario {
  return { ...fleet, ratePerSecond, bands, warmupSeconds: WARMUP_SECONDS, arrivalSeconds: seconds };
}
