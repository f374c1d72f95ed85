/**
 * A request with its route. Its body is decoded as text lazily, because a component of this process sends an object.
 */
import type { JsonObject } from "../../values/types.ts";
import type {
  ResourceDefinition,
  ResourceRequest,
  ServerContext,
  ServerRequest,
  Subresource,
  User,
} from "../contract/context.ts";
import type { Query } from "../contract/query.ts";
import type { Route } from "./router.ts";
import { textOf } from "../../values/text.ts";
import type { Warnings } from "../contract/warnings.ts";

export class RoutedRequest implements ResourceRequest {
  readonly server: ServerContext;
  readonly definition: ResourceDefinition;
  readonly subresource: Subresource | undefined;
  readonly namespace: string;
  readonly name: string;
  readonly query: Query;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: JsonObject | undefined;
  readonly isWritten: boolean;
  readonly omitsOwners: boolean;
  readonly warnings: Warnings;
  readonly user: User | undefined;
  readonly reviewAnswers: ResourceRequest["reviewAnswers"];
  readonly #request: ServerRequest;

  constructor(
    server: ServerContext,
    request: ServerRequest,
    { definition, subresource, namespace, name }: Route,
    query: Query,
    warnings: Warnings,
  ) {
    this.server = server;
    this.definition = definition;
    this.subresource = subresource;
    this.namespace = namespace;
    this.name = name;
    this.query = query;
    this.headers = request.headers;
    this.content = request.content;
    this.isWritten = request.isWritten === true && request.content !== undefined;
    this.omitsOwners = server.fieldOwners?.mayOmit(request, definition, server) ?? false;
    this.warnings = warnings;
    this.user = request.user;
    this.reviewAnswers = request.reviewAnswers;
    this.#request = request;
  }

  get body(): string {
    return textOf(this.#request.body ?? "");
  }
}
