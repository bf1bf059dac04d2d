import { describe, expectTypeOf, test } from 'vitest'
import {
  type BaseStrategy,
  createCollection,
  createPacedMutations,
  createTransaction,
  type DebounceStrategyOptions,
  debounceStrategy,
  type LocalOnlyCollectionConfig,
  type LocalStorageCollectionConfig,
  localOnlyCollectionOptions,
  localStorageCollectionOptions,
  type Parser,
  type QueueStrategy,
  type StorageApi,
  type StorageEventApi,
  type StrategyOptions,
  type Transaction,
  throttleStrategy,
  type WithVirtualProps,
} from '../../src/index.ts'
import type { StandardSchema } from '../../src/types/schema.ts'

interface Todo {
  id: number
  text: string
}

declare const schema: StandardSchema<{ id: number; text?: string }, Todo>

describe('localOnlyCollectionOptions', () => {
  test('takes row and key from getKey and initialData', () => {
    const todos = createCollection(
      localOnlyCollectionOptions({ getKey: (todo: Todo) => todo.id, initialData: [{ id: 1, text: '' }] }),
    )
    expectTypeOf(todos.toArray).toEqualTypeOf<WithVirtualProps<Todo, number>[]>()
    expectTypeOf(todos.get).parameter(0).toEqualTypeOf<number>()
    expectTypeOf(todos.utils.acceptMutations).toBeFunction()
    // @ts-expect-error there is no such function
    todos.utils.clearStorage()
  })

  test('takes the row as a type argument', () => {
    const options = localOnlyCollectionOptions<Todo, number>({ getKey: (todo) => todo.id })
    expectTypeOf(options.id).toEqualTypeOf<string>()
    expectTypeOf(options.getKey).returns.toEqualTypeOf<number>()
  })

  test('takes the row from a schema', () => {
    const todos = createCollection(
      localOnlyCollectionOptions({
        schema,
        getKey: (todo) => todo.id,
        onInsert: async ({ transaction }) => {
          expectTypeOf(transaction.mutations[0].modified).toEqualTypeOf<Todo>()
        },
      }),
    )
    expectTypeOf(todos.toArray).toEqualTypeOf<WithVirtualProps<Todo, number>[]>()
  })

  test('accepts transactions of any row type', () => {
    const todos = createCollection(localOnlyCollectionOptions({ getKey: (todo: Todo) => todo.id }))
    createTransaction<Todo>({
      mutationFn: async ({ transaction }) => {
        todos.utils.acceptMutations(transaction)
      },
    })
    createTransaction({
      mutationFn: async ({ transaction }) => {
        todos.utils.acceptMutations(transaction)
      },
    })
    todos.utils.acceptMutations(createTransaction<Todo>({ mutationFn: async () => {} }))
  })

  test('starts by itself and is never collected, so nothing can be said about it', () => {
    expectTypeOf<LocalOnlyCollectionConfig<Todo>>().not.toHaveProperty('gcTime')
    expectTypeOf<LocalOnlyCollectionConfig<Todo>>().not.toHaveProperty('startSync')
    expectTypeOf<LocalOnlyCollectionConfig<Todo>>().not.toHaveProperty('sync')
  })
})

describe('localStorageCollectionOptions', () => {
  test('takes row and key from getKey, or the row from a schema', () => {
    const todos = createCollection(
      localStorageCollectionOptions({ storageKey: 'todos', getKey: (todo: Todo) => todo.id, gcTime: 1 }),
    )
    expectTypeOf(todos.toArray).toEqualTypeOf<WithVirtualProps<Todo, number>[]>()
    expectTypeOf(todos.utils.getStorageSize).returns.toEqualTypeOf<number>()
    expectTypeOf(todos.utils.clearStorage).returns.toEqualTypeOf<void>()
    const checked = createCollection(
      localStorageCollectionOptions({ storageKey: 'todos', schema, getKey: (todo) => String(todo.id) }),
    )
    expectTypeOf(checked.toArray).toEqualTypeOf<WithVirtualProps<Todo, string>[]>()
    // @ts-expect-error a storage key is needed
    localStorageCollectionOptions<Todo>({ getKey: (todo) => todo.id })
  })

  test('takes what a page has', () => {
    expectTypeOf<Storage>().toExtend<StorageApi>()
    expectTypeOf<Window>().toExtend<StorageEventApi>()
    const heard: { addEventListener(type: 'storage', listener: (event: StorageEvent) => void): void } & {
      removeEventListener(type: 'storage', listener: (event: StorageEvent) => void): void
    } = window
    expectTypeOf(heard).toExtend<StorageEventApi>()
    expectTypeOf<JSON>().toExtend<Parser>()
    expectTypeOf<LocalStorageCollectionConfig<Todo>['storageKey']>().toEqualTypeOf<string>()
  })
})

describe('createPacedMutations', () => {
  test('types variables and transaction', () => {
    const save = createPacedMutations<{ id: number }, Todo>({
      onMutate: (variables) => {
        expectTypeOf(variables).toEqualTypeOf<{ id: number }>()
      },
      mutationFn: async ({ transaction }) => {
        expectTypeOf(transaction.mutations[0].modified).toEqualTypeOf<Todo>()
      },
      strategy: debounceStrategy({ wait: 1 }),
    })
    expectTypeOf(save).toEqualTypeOf<(variables: { id: number }) => Transaction<Todo>>()
    const inferred = createPacedMutations({
      onMutate: (text: string) => {
        text.trim()
      },
      mutationFn: async () => {},
      strategy: throttleStrategy({ wait: 1 }),
    })
    expectTypeOf(inferred).parameter(0).toEqualTypeOf<string>()
  })

  test('takes a strategy that knows nothing of dropping', () => {
    const strategy = {
      _type: 'mine',
      execute: <T extends object>(fn: () => Transaction<T>) => {
        fn()
      },
      cleanup: () => {},
    } satisfies BaseStrategy
    createPacedMutations({ onMutate: () => {}, mutationFn: async () => {}, strategy })
    expectTypeOf<
      StrategyOptions<ReturnType<typeof debounceStrategy>>
    >().toEqualTypeOf<DebounceStrategyOptions>()
    expectTypeOf<QueueStrategy['_type']>().toEqualTypeOf<'queue'>()
  })
})
