/** See ClientSupport: the one implementation, for servers that people and tools talk to. */
import type { ClientSupport } from "../contract/context.ts";
import { groupsDocument } from "../discovery/discovery.ts";
import { otherDocument } from "../discovery/documents.ts";
import { readAccept } from "../http/accept.ts";
import { includeObjectOf, table } from "../http/table-answer.ts";
import { followLog, readLog, wholeLog } from "../pods/log.ts";
import type { TypeTexts } from "../openapi/type-texts.ts";
import { nameTable } from "../tables/others.ts";
import { baseTables } from "./base-tables.ts";

/** @param readTexts reads the descriptions of the types, on the first request for an OpenAPI document */
export function clientSupport(readTexts: () => TypeTexts): ClientSupport {
  return {
    groupsDocument,
    otherDocument: (path, request, served) => otherDocument(path, request, served, readTexts),
    readAccept,
    checkTable: (request) => void includeObjectOf(request),
    table: (objects, metadata, output, request, form) => {
      const { table: own, storage } = request.definition;
      const definition = own ?? baseTables[storage] ?? nameTable;
      return table(objects, metadata, output, request, form, definition);
    },
    readLog,
    wholeLog,
    followLog,
  };
}
