import type { Judgement } from './judgement';
import type { LeadingGateway } from './leading-gateways';

/** Of many routes the first are enough; so are the first words of a reason. */
const MOST_ROUTES = 3;
const MOST_CHARACTERS = 500;

/** The condition `Accepted` of a pool for a Gateway that leads to it. */
export function acceptedAt({ namespace, name, routes }: LeadingGateway): Judgement {
  const gateway = `Gateway ${namespace}/${name}`;
  const verdicts = [...routes.values()].map(({ verdict }) => verdict);
  if (verdicts.includes('accepted')) {
    return { status: 'True', reason: 'Accepted', message: `${gateway} has HTTPRoutes that lead to the pool` };
  }
  if (verdicts.includes('pending')) {
    const waiting = listed(routes, 'pending').map(([route]) => route);
    return {
      status: 'Unknown',
      reason: 'Pending',
      message: `${gateway} has not judged HTTPRoute ${waiting.join(', ')} yet; if that lasts, see whether Envoy Gateway runs and watches its namespace`,
    };
  }
  const refused = listed(routes, 'refused').map(
    ([route, { message = '' }]) => `${route} (${cut(message.replace(/[.\s]+$/, ''))})`,
  );
  return {
    status: 'False',
    reason: 'HTTPRouteNotAccepted',
    message: `${gateway} does not accept HTTPRoute ${refused.join(', ')}: correct the route, or what the listeners of the Gateway allow`,
  };
}

function listed(routes: LeadingGateway['routes'], wanted: string) {
  return [...routes]
    .filter(([, { verdict }]) => verdict === wanted)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MOST_ROUTES);
}

function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text;
}
