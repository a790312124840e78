/** A JSON object as Envoy reads it: proto3 JSON, field names in snake case. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
