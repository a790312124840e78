import { SERVED_ENDPOINT_HEADER } from '../../lib/translate/envoy/control-headers';
import { EMPTY_BODY } from '../body-router/body/span';
import { spliceBody } from '../body-router/body/splice';
import type { Turns } from '../body-router/body/turns';
import { headerModel } from '../body-router/destination';
import { type RefusalName, refuse } from '../body-router/errors';
import type { Routing } from '../body-router/models/routing';
import { REFUSAL_OF } from '../body-router/pick-refusal';
import { type FactsResult, NO_FACTS, type RequestFacts } from '../body-router/request-facts';
import { tellServed } from '../body-router/tell-served';
import type { EndpointPicker, PendingPick, PickResult, Ticket } from '../endpoint-picker/endpoint-picker';
import {
  type Answer,
  type Attributes,
  type Body,
  type BodyModes,
  CONTINUE,
  HELD,
  type HeaderMap,
  type Metadata,
  type Peer,
  type ProcessorStream,
  type Reply,
} from '../ext-proc/processor';
import { anyEndpoint } from './any-endpoint';
import { GatheredBody } from './gathered-body';
import type { GieObserver } from './observer';
import { type Departure, pickRequest } from './pick-request';
import { poolRoute } from './pool-route';
import { requestHead } from './request-head';
import { promisesModel, readRequest } from './request-reader';
import { ResponsePass } from './response-pass';
import { subsetOf } from './subset';

/** What all requests of one picker share. */
export interface GieContext {
  readonly picker: EndpointPicker;
  /** The pool, `namespace/name`. */
  readonly scheduler: string;
  /** Undefined until there is a state. */
  readonly routing: () => Routing | undefined;
  readonly random: () => number;
  readonly clock: () => number;
  readonly turns: Turns;
  readonly observe: GieObserver;
  onPickerError(error: unknown): void;
  /** Of a proxy that does not say how it sends bodies. */
  readonly bodyModes: BodyModes;
}

/** The namespace in which a proxy says which endpoint has served. */
export const SERVED_NAMESPACE = 'envoy.lb';

/**
 * One HTTP request that a proxy has sent to a pool. In FULL_DUPLEX_STREAMED mode nothing is answered until the request
 * is complete; in BUFFERED mode the headers are passed on first, and the answer to the body names the endpoint; in any
 * other mode the headers alone decide. Owns the request's ticket from the pick until `closed`, also where the pick ends
 * after that.
 */
export class GieStream implements ProcessorStream {
  private headers: HeaderMap = new Map();
  private modes: BodyModes;
  private subset: readonly string[] | undefined;
  private readonly gathered = new GatheredBody();
  private complete = false;
  private trailers = false;

  private held: PendingPick | undefined;
  private ticket: Ticket | undefined;
  private firstToken: (() => void) | undefined;
  private over = false;
  private status: number | undefined;
  /** The name to set back in the response, where the body was changed. */
  private askedModel: string | undefined;
  /** The model that serves, as telemetry may call it. */
  private model = 'other';
  private response: ResponsePass | undefined;

  constructor(private readonly context: GieContext) {
    this.modes = context.bodyModes;
  }

  requestHeaders(headers: HeaderMap, endOfStream: boolean, peer: Peer): Reply | Promise<Reply> {
    if (this.complete) return CONTINUE;
    this.headers = headers;
    this.modes = peer.bodyModes ?? this.context.bodyModes;
    this.subset = subsetOf(peer.metadata);
    if (endOfStream) return this.depart(EMPTY_BODY, NO_FACTS);
    if (this.context.routing() === undefined) return this.refuse('no_endpoints');
    const refusal = this.tooLarge(Number(headers.get('content-length') ?? 0));
    if (refusal !== undefined) return refusal;
    switch (this.modes.request) {
      case 'FULL_DUPLEX_STREAMED':
        return HELD;
      case 'BUFFERED':
      case 'BUFFERED_PARTIAL':
        return CONTINUE;
      default:
        return this.depart(EMPTY_BODY, NO_FACTS);
    }
  }

  requestBody(body: Body, endOfStream: boolean): Reply | Promise<Reply> {
    if (this.complete) return CONTINUE;
    switch (this.modes.request) {
      case 'FULL_DUPLEX_STREAMED':
        return this.gather(body) ?? (endOfStream ? this.read(this.gathered.take()) : HELD);
      case 'BUFFERED':
        return this.tooLarge(body.length) ?? this.read(body);
      default:
        // All of a body that fits the proxy's buffer, else its beginning.
        return endOfStream ? this.read(body) : this.depart(EMPTY_BODY, NO_FACTS);
    }
  }

  requestTrailers(): Reply | Promise<Reply> {
    if (this.complete || this.modes.request !== 'FULL_DUPLEX_STREAMED') return CONTINUE;
    this.trailers = true;
    return this.read(this.gathered.take());
  }

  responseHeaders(headers: HeaderMap, attributes: Attributes, metadata: Metadata): Reply {
    this.status = Number(headers.get(':status')) || undefined;
    const told = metadata.get(SERVED_NAMESPACE)?.get(SERVED_ENDPOINT_HEADER);
    const named = typeof told === 'string' ? told : attributes.get('upstream.address');
    tellServed(this.ticket, named, attributes, this.status);
    this.response = new ResponsePass(headers, this.modes.response, {
      askedModel: this.askedModel,
      firstToken: this.firstToken,
      usage: this.context.observe.requestUsed !== undefined,
    });
    return this.response.headers();
  }

  responseBody(chunk: Buffer, endOfStream: boolean): Reply {
    return this.response?.body(chunk, endOfStream) ?? CONTINUE;
  }

  responseTrailers(): Reply {
    return this.response?.trailers() ?? CONTINUE;
  }

  closed(): void {
    this.over = true;
    this.gathered.drop();
    this.held?.cancel();
    this.ticket?.done(this.status);
    const usage = this.response?.usage();
    const { observe, scheduler } = this.context;
    if (usage !== undefined) observe.requestUsed?.({ scheduler, model: this.model, usage });
  }

  /** Keeps a piece of the body; the answer where it is too large. */
  private gather(body: Body): Reply | undefined {
    const refusal = this.tooLarge(this.gathered.length + body.length);
    if (refusal === undefined) this.gathered.push(body);
    else this.gathered.drop();
    return refusal;
  }

  /** The answer where a body of so many bytes is not taken. */
  private tooLarge(bytes: number): Reply | undefined {
    const limit = this.context.routing()?.state.maxRequestBodyBytes;
    return limit !== undefined && bytes > limit ? this.refuse('body_too_large', { limit }) : undefined;
  }

  private read(body: Body): Reply | Promise<Reply> {
    this.complete = true;
    const startedAt = this.context.clock();
    if (body.length === 0) return this.depart(body, NO_FACTS, startedAt);
    const facts = readRequest(this.headers, body, this.context.turns, () => !this.over);
    if (!('then' in facts)) return this.decide(facts, body, startedAt);
    return facts.then((read) => (read === undefined ? CONTINUE : this.decide(read, body, startedAt)));
  }

  private decide(facts: FactsResult, body: Body, startedAt: number): Reply | Promise<Reply> {
    if (this.over) return CONTINUE;
    // Where no model is needed, a body that cannot be read is the model server's to judge.
    const needsModel = this.context.routing()?.state.bodyRouting === true && promisesModel(this.headers);
    if ('refusal' in facts) {
      return needsModel ? this.refuse(facts.refusal, facts.values) : this.depart(body, NO_FACTS, startedAt);
    }
    const named = facts.model !== undefined || headerModel(this.headers) !== undefined;
    return named || !needsModel ? this.depart(body, facts, startedAt) : this.refuse('missing_model');
  }

  private depart(body: Body, facts: RequestFacts, startedAt = this.context.clock()): Reply | Promise<Reply> {
    this.complete = true;
    const { random, scheduler } = this.context;
    const routing = this.context.routing();
    const asked = facts.model?.name ?? headerModel(this.headers);
    const resolution = routing && poolRoute(routing, scheduler, asked, random);
    if (routing === undefined || resolution === undefined || this.subset?.length === 0) {
      return this.refuse('no_endpoints');
    }
    const departure: Departure = { ...resolution, routing, startedAt, body, facts, asked };
    let picked: PickResult | PendingPick;
    try {
      picked = this.context.picker.pick(pickRequest(departure, this.headers, this.subset));
    } catch (error) {
      return this.pickerFailed(error);
    }
    if ('outcome' in picked) return this.answer(picked, departure);
    this.held = picked;
    return picked.result.then(
      (result) => this.answer(result, departure),
      (error: unknown) => this.pickerFailed(error),
    );
  }

  private pickerFailed(error: unknown): Answer {
    this.context.onPickerError(error);
    return this.refuse('picker_failed');
  }

  private answer(result: PickResult, departure: Departure): Reply {
    this.held = undefined;
    if (this.over) {
      if (result.outcome === 'picked') result.ticket.done();
      return CONTINUE;
    }
    if (result.outcome === 'picked') {
      this.ticket = result.ticket;
      if (result.sampleFirstToken) this.firstToken = () => result.ticket.firstToken();
      return this.send(result.endpoints, departure);
    }
    if (result.outcome !== 'no-answer') {
      const seconds = result.retryAfterSeconds;
      return this.refuse(REFUSAL_OF[result.outcome], { seconds }, seconds);
    }
    const endpoint = anyEndpoint(
      departure.routing.states.get(this.context.scheduler),
      this.subset,
      this.context.random(),
    );
    return endpoint === undefined ? this.refuse('no_endpoints') : this.send([endpoint], departure);
  }

  private send(endpoints: readonly string[], departure: Departure): Reply {
    const { body, facts, route } = departure;
    const duplex = this.modes.request === 'FULL_DUPLEX_STREAMED';
    const { model } = facts;
    const changed = model !== undefined && model.name !== route.model;
    if (changed) this.askedModel = model.name;
    const sent = changed ? spliceBody(body, model.spans, model.encode(route.model)) : body;
    this.report(departure);
    const lengthless = duplex ? this.trailers : !changed;
    const headers = requestHead(this.headers, endpoints, { length: sent.length, changed, lengthless });
    if (!duplex) return changed ? { ...headers, body: sent } : headers;
    return { kind: 'streamed', headers, body: sent };
  }

  private report({ asked, body, rewrite, route, routing, startedAt }: Departure): void {
    const known = asked !== undefined && (routing.models.has(asked) || routing.rewrites.exact.has(asked));
    this.model = route.known ? route.model : 'other';
    this.context.observe.requestRouted({
      scheduler: route.scheduler,
      model: this.model,
      bodyBytes: body.length,
      decisionMs: this.context.clock() - startedAt,
      ...(rewrite !== undefined && { rewrite: { name: rewrite, from: known ? asked : 'other' } }),
    });
  }

  private refuse(
    name: RefusalName,
    values: Readonly<Record<string, string | number>> = {},
    retryAfterSeconds?: number,
  ): Answer {
    this.context.observe.requestRefused(name, this.context.scheduler);
    return refuse(name, values, retryAfterSeconds);
  }
}
