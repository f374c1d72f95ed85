/**
 * Decisions by the number that requests name. Each controller of a run counts from 1; here the numbers continue from
 * one controller to the next, so that those of one Job ascend over the whole run.
 */
import { Column } from "../columns.ts";
import { NONE } from "../records.ts";

export class DecisionNumbers {
  /** By row of the decisions. */
  readonly #ofRow = new Column("int32");
  #base = 0;
  #highest = 0;

  /** Another controller begins, and counts from 1. */
  beginController(): void {
    this.#base = this.#highest;
  }

  /** @param id the number from the present controller; 0: none */
  numberOf(id: number): number {
    if (id === 0) return NONE;
    this.#highest = Math.max(this.#highest, this.#base + id);
    return this.#base + id;
  }

  /** The next row of the decisions has this id. */
  add(id: number): void {
    this.#ofRow.push(this.numberOf(id));
  }

  ofRow(row: number): number {
    return this.#ofRow.at(row);
  }
}
