import { quantityToCount } from '../../api/schema/quantity';

/** A limit of memory that a container has unless one is given: no less than it asks for, or the API server would refuse it. */
export function memoryLimit(usual: string, requested: unknown): unknown {
  return (quantityToCount(requested) ?? 0) > (quantityToCount(usual) ?? 0) ? requested : usual;
}
