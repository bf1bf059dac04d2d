import type { ManagedCollection } from '../collection/lifecycle.ts'
import { CollectionConfigurationError } from '../errors/base.ts'
import { CollectionInErrorStateError } from '../errors/collection.ts'
import { type BasicExpression, PropRef } from '../query/ir.ts'
import { createRef, toExpression } from '../query/refs.ts'
import type { CollectionIndexMetadata } from '../types/events.ts'
import type { IndexConstructor, IndexInterface, IndexOptions } from '../types/indexes.ts'
import { BaseIndex } from './base-index.ts'
import { noteCollectionSize } from './dev-mode.ts'
import { EngineStore } from './engine-store.ts'
import { metadataOf } from './metadata.ts'

type Key = string | number

interface Made {
  readonly index: IndexInterface
  readonly type: IndexConstructor
  readonly options: unknown
  /** Ends the following of the rows by an index that the engine does not feed. */
  readonly stop: (() => void) | undefined
}

/** The indexes an application has made over a collection. */
export class CollectionIndexes {
  readonly #collection: ManagedCollection
  readonly #defaultType: IndexConstructor | undefined
  readonly #made = new Map<number, Made>()
  /** The indexes by id, as the collection shows them. */
  readonly byId = new Map<number, IndexInterface>()
  #lastId = 0

  constructor(collection: ManagedCollection, defaultType: IndexConstructor | undefined) {
    this.#collection = collection
    this.#defaultType = defaultType
  }

  /**
   * Makes an index. The id is used up even if that fails.
   *
   * @throws CollectionInErrorStateError, CollectionConfigurationError without a type of index.
   */
  create(build: (row: never) => unknown, options: IndexOptions = {}): IndexInterface {
    this.#assertUsable('createIndex')
    const id = ++this.#lastId
    const type = options.indexType ?? this.#defaultType
    if (type === undefined) {
      throw new CollectionConfigurationError(
        `Collection "${this.#collection.id}" has no defaultIndexType: pass { indexType: BTreeIndex } to createIndex(), ` +
          'or set it in the configuration',
      )
    }
    const expression = toExpression((build as (row: unknown) => unknown)(createRef([])))
    const index = new type(id, expression, options.name, options.options as never)
    const made = { index, type, options: options.options, stop: this.#connect(index, expression) }
    this.#made.set(id, made)
    this.byId.set(id, index)
    this.#announce('index:added', made)
    return index
  }

  /** Makes indexes for fields that have none, named after them. What goes wrong is told on the console. */
  createAutomatic(paths: readonly (readonly string[])[]): void {
    for (const path of paths) {
      if (Array.from(this.byId.values()).some((index) => index.matchesField(path))) continue
      noteCollectionSize(this.#collection.id, [...path], this.#collection.size)
      try {
        this.create(() => new PropRef([...path]), { name: `auto:${path.join('.')}` })
      } catch (error) {
        console.warn(
          `[millrace] No index was made for "${path.join('.')}" of "${this.#collection.id}":`,
          error,
        )
      }
    }
  }

  /** Removes an index, by itself or by its id. Whether it was one of this collection. */
  remove(indexOrId: IndexInterface | number): boolean {
    this.#assertUsable('removeIndex')
    const id = typeof indexOrId === 'number' ? indexOrId : indexOrId.id
    const made = this.#made.get(id)
    if (made === undefined || (typeof indexOrId !== 'number' && made.index !== indexOrId)) return false
    made.stop?.()
    this.#made.delete(id)
    this.byId.delete(id)
    this.#announce('index:removed', made)
    return true
  }

  metadata(): CollectionIndexMetadata[] {
    return Array.from(this.#made.values(), (made) => this.#metadata(made))
  }

  /** The collection was cleaned up: its indexes have nothing to stand on. */
  clear(): void {
    for (const { stop } of this.#made.values()) stop?.()
    this.#made.clear()
    this.byId.clear()
  }

  #assertUsable(operation: string): void {
    const collection = this.#collection
    if (collection.status === 'error') throw new CollectionInErrorStateError(operation, collection.id)
    if (collection.status === 'cleaned-up') collection.start()
  }

  /** Lets an index read what the engine keeps; one that cannot is filled, and follows the rows. */
  #connect(index: IndexInterface, expression: BasicExpression): (() => void) | undefined {
    const collection = this.#collection
    if (index instanceof BaseIndex && index.bind((order) => new EngineStore(collection, expression, order))) {
      return undefined
    }
    const entries: [Key, object][] = []
    collection.visit((key, row) => entries.push([key, row]))
    index.build(entries)
    return collection.follow((changes) => {
      for (const { type, key, value, previousValue } of changes) {
        if (type === 'insert') index.add(key, value)
        else if (type === 'delete') index.remove(key, value)
        else index.update(key, previousValue as object, value)
      }
    })
  }

  #announce(type: 'index:added' | 'index:removed', made: Made): void {
    const { events, facade } = this.#collection
    events.emit(type, { type, collection: facade, index: this.#metadata(made) })
  }

  #metadata({ index, type, options }: Made): CollectionIndexMetadata {
    return metadataOf(index, type, options)
  }
}
