import { SERVED_ENDPOINT_HEADER } from '../../lib/translate/envoy/control-headers';
import type { EndpointPicker, PendingPick, PickResult, Ticket } from '../endpoint-picker/endpoint-picker';
import { decisionLine } from '../explain/decision-line';
import {
  type Answer,
  type Attributes,
  type Body,
  CONTINUE,
  type HeaderMap,
  type ProcessorStream,
} from '../ext-proc/processor';
import { bodyOf, EMPTY_BODY, spanBytes } from './body/span';
import { spliceBody } from './body/splice';
import type { Turns } from './body/turns';
import { type BodyReader, bodyReader } from './body-reader';
import { DECISION, EXPLAIN } from './control-headers';
import { type BodyKind, chooseDestination } from './destination';
import { type RefusalName, refuse } from './errors';
import { gatewayReply } from './gateway-endpoints';
import type { HeldRequests } from './held-requests';
import { requestIdentity } from './identity';
import type { Resolution } from './models/resolve';
import type { Routing } from './models/routing';
import type { BodyRouterObserver } from './observer';
import { REFUSAL_OF } from './pick-refusal';
import { blockHashes } from './prefix/block-hashes';
import { prefixSalt } from './prefix/prefix-salt';
import { type FactsResult, NO_FACTS, type RequestFacts } from './request-facts';
import { type FirstTokenWatch, firstTokenWatchFor } from './response/first-token';
import { type ModelRestorer, restorerFor } from './response/model-restorer';
import { defaultBackendAnswer, routedAnswer } from './routed-answer';
import { tellServed } from './tell-served';
import { tokenizable } from './tokenizable';

/** What all requests of one router share. */
export interface RouterContext {
  readonly picker: EndpointPicker;
  readonly random: () => number;
  readonly clock: () => number;
  readonly observe: BodyRouterObserver;
  onPickerError(error: unknown): void;
  readonly created: number;
  readonly hasEndpoints?: ((scheduler: string) => boolean) | undefined;
  readonly turns: Turns;
  readonly routing: () => Routing;
  readonly held: HeldRequests;
}

/** A body that took less time to read does not matter to how long its request may be held. Milliseconds. */
const LEAST_READING_MS = 10;

/** A request whose destination is known and whose endpoint is being picked. */
interface Departure extends Resolution {
  readonly startedAt: number;
  readonly body: Body;
  readonly facts: RequestFacts;
  /** The model asked for; undefined where the request names none. */
  readonly asked: string | undefined;
}

/**
 * One HTTP request. It owns the request's ticket from the pick until `closed`, also where the pick ends after that.
 */
export class RequestStream implements ProcessorStream {
  private headers: HeaderMap = new Map();
  private reader: BodyReader | undefined;
  private pending: PendingPick | undefined;
  private ticket: Ticket | undefined;
  private status: number | undefined;
  private over = false;
  private explanation: string | undefined;
  /** The name to set back in the response, where the body was changed. */
  private askedModel: string | undefined;
  private restorer: ModelRestorer | undefined;
  private sampled = false;
  private firstToken: FirstTokenWatch | undefined;

  constructor(private readonly context: RouterContext) {}

  requestHeaders(headers: HeaderMap, endOfStream: boolean): Answer | Promise<Answer> {
    this.headers = headers;
    const routing = this.context.routing();
    const { created, hasEndpoints } = this.context;
    const reply = gatewayReply(headers, routing, created, hasEndpoints);
    if (reply !== undefined) {
      if (reply.refused === undefined) this.context.observe.requestAnswered(reply.endpoint);
      else this.context.observe.requestRefused(reply.refused);
      return reply.answer;
    }
    if (endOfStream) return this.depart(routing, 'none', EMPTY_BODY, NO_FACTS, this.context.clock());
    this.reader = bodyReader(headers.get('content-type'));
    const limit = routing.state.maxRequestBodyBytes;
    return Number(headers.get('content-length') ?? 0) > limit ? this.refuse('body_too_large', { limit }) : CONTINUE;
  }

  requestBody(body: Body): Answer | Promise<Answer> {
    const { clock, routing, turns } = this.context;
    const startedAt = clock();
    const limit = routing().state.maxRequestBodyBytes;
    if (body.length > limit) return this.refuse('body_too_large', { limit });
    const reader = this.reader ?? bodyReader(this.headers.get('content-type'));
    const facts = reader.read(body, turns, () => !this.over);
    if (!('then' in facts)) return this.decide(facts, reader.kind, body, startedAt);
    return facts.then((read) => (read === undefined ? CONTINUE : this.decide(read, reader.kind, body, startedAt)));
  }

  responseHeaders(headers: HeaderMap, attributes: Attributes): Answer {
    this.status = Number(headers.get(':status')) || undefined;
    const served = tellServed(this.ticket, attributes.get('upstream.address'), attributes, this.status);
    const set: Array<readonly [string, string]> = [];
    if (served !== undefined) set.push([SERVED_ENDPOINT_HEADER, served]);
    if (this.explanation !== undefined) set.push([DECISION, this.explanation]);
    this.restorer = this.askedModel === undefined ? undefined : restorerFor(headers, this.askedModel);
    this.firstToken = this.sampled ? firstTokenWatchFor(headers) : undefined;
    if (this.restorer !== undefined) {
      return { kind: 'continue', setHeaders: set, removeHeaders: ['content-length'], streamResponseBody: true };
    }
    if (this.firstToken !== undefined) return { kind: 'continue', setHeaders: set, streamResponseBody: true };
    return set.length === 0 ? CONTINUE : { kind: 'continue', setHeaders: set };
  }

  responseBody(chunk: Buffer, endOfStream: boolean): Answer {
    if (this.firstToken?.push(chunk)) this.ticket?.firstToken();
    if (this.restorer === undefined) return CONTINUE;
    const chunks = this.restorer.push(chunk, endOfStream);
    return chunks.length === 1 && chunks[0] === chunk ? CONTINUE : { kind: 'continue', body: bodyOf(chunks) };
  }

  closed(): void {
    this.over = true;
    this.pending?.cancel();
    this.ticket?.done(this.status);
  }

  private decide(facts: FactsResult, kind: BodyKind, body: Body, startedAt: number): Answer | Promise<Answer> {
    if (this.over) return CONTINUE;
    const routing = this.context.routing();
    if (!('refusal' in facts)) return this.depart(routing, kind, body, facts, startedAt);
    // Where no model is needed, a body that cannot be read is the model server's to judge.
    if (!routing.state.bodyRouting) return this.depart(routing, kind, body, NO_FACTS, startedAt);
    return this.refuse(facts.refusal, facts.values);
  }

  private depart(
    routing: Routing,
    kind: BodyKind,
    body: Body,
    facts: RequestFacts,
    startedAt: number,
  ): Answer | Promise<Answer> {
    const asked = facts.model?.name;
    const destination = chooseDestination(routing, this.headers, kind, asked, this.context.random);
    if (destination.kind === 'refused') return this.refuse(destination.refusal, { model: destination.model ?? '' });
    if (destination.kind === 'default-backend') {
      this.context.observe.requestDefaulted();
      return defaultBackendAnswer(this.headers);
    }
    const { route } = destination;
    const departure: Departure = { ...destination, startedAt, body, facts, asked };
    const readingMs = this.context.clock() - startedAt;
    const salt = prefixSalt(route, facts.cacheSalt ? spanBytes(body, facts.cacheSalt).toString('latin1') : '');
    let picked: PickResult | PendingPick;
    try {
      picked = this.context.picker.pick({
        scheduler: route.scheduler,
        model: route.model,
        ...(route.adapter !== undefined && { adapter: route.adapter }),
        ...requestIdentity(this.headers, routing.state, routing.states.get(route.scheduler) ?? {}),
        promptBytes: facts.promptBytes,
        bodyBytes: body.length,
        ...(readingMs >= LEAST_READING_MS && { heldMs: readingMs }),
        ...(facts.maxOutputTokens !== undefined && { maxOutputTokens: facts.maxOutputTokens }),
        ...(facts.answers !== undefined && { answers: facts.answers }),
        prefixHashes: blockHashes(body, facts.prompt, salt),
        explain: this.asksExplanation(routing),
        tokenizable: () => tokenizable(body, facts, route.model),
      });
    } catch (error) {
      return this.pickerFailed(error, route.scheduler);
    }
    if ('outcome' in picked) return this.answer(picked, departure, routing);
    // A peer that repeats its messages is picked for again.
    this.pending?.cancel();
    this.pending = picked;
    return this.context.held.wait(picked, {
      picked: (result) => this.answer(result, this.caughtUp(departure), this.context.routing()),
      failed: (error) => this.pickerFailed(error, route.scheduler),
      shutDown: () => this.refuse('shutting_down', {}, route.scheduler, 1),
    });
  }

  /** Its scheduler may have got another model's name while the request was held: Envoy knows the new one alone. */
  private caughtUp(departure: Departure): Departure {
    const modelName = this.context.routing().states.get(departure.route.scheduler)?.modelName;
    if (modelName === undefined || modelName === departure.route.baseModel) return departure;
    return { ...departure, route: { ...departure.route, baseModel: modelName } };
  }

  private asksExplanation({ state }: Routing): boolean {
    return state.explain && this.headers.get(EXPLAIN) === '1';
  }

  private pickerFailed(error: unknown, scheduler: string): Answer {
    this.context.onPickerError(error);
    return this.refuse('picker_failed', {}, scheduler);
  }

  private answer(result: PickResult, departure: Departure, routing: Routing): Answer {
    const { route } = departure;
    if (this.over) {
      if (result.outcome === 'picked') result.ticket.done();
      return CONTINUE;
    }
    if (result.outcome === 'no-answer') {
      this.reportRouted(departure, routing);
      return routedAnswer(this.headers, route, [], this.rewritten(departure));
    }
    if (result.outcome !== 'picked') {
      const seconds = result.retryAfterSeconds;
      return this.refuse(REFUSAL_OF[result.outcome], { seconds }, route.scheduler, seconds);
    }
    // A peer that repeats its messages is picked for again; each ticket is given back.
    this.ticket?.done();
    this.ticket = result.ticket;
    // Others may have asked for one too: a log, a trace, a recording.
    const explained = this.asksExplanation(routing) ? result.explanation : undefined;
    this.explanation = explained && decisionLine(explained);
    this.sampled = result.sampleFirstToken === true;
    const body = this.rewritten(departure);
    this.reportRouted(departure, routing);
    return routedAnswer(this.headers, route, result.endpoints, body);
  }

  /** The body with the model that serves; undefined where it is the one that the body names. */
  private rewritten({ body, facts, route }: Departure): Body | undefined {
    const { model } = facts;
    if (model === undefined || model.name === route.model) return undefined;
    this.askedModel = model.name;
    return spliceBody(body, model.spans, model.encode(route.model));
  }

  private reportRouted({ asked, body, rewrite, route, startedAt }: Departure, routing: Routing): void {
    const known = asked !== undefined && (routing.models.has(asked) || routing.rewrites.exact.has(asked));
    this.context.observe.requestRouted({
      scheduler: route.scheduler,
      model: route.known ? route.model : 'other',
      bodyBytes: body.length,
      decisionMs: this.context.clock() - startedAt,
      ...(rewrite !== undefined && { rewrite: { name: rewrite, from: known ? asked : 'other' } }),
    });
  }

  private refuse(
    name: RefusalName,
    values: Readonly<Record<string, string | number>> = {},
    scheduler?: string,
    retryAfterSeconds?: number,
  ): Answer {
    this.context.observe.requestRefused(name, scheduler);
    return refuse(name, values, retryAfterSeconds);
  }
}
