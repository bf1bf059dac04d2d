import { describe, expectTypeOf, test } from 'vitest'
import {
  type Collection,
  type CollectionConfig,
  createCollection,
  createLiveQueryCollection,
  createOptimisticAction,
  createTransaction,
  type DeleteMutationFnParams,
  getActiveTransaction,
  type InferCollectionType,
  type InferSchemaInput,
  type InferSchemaOutput,
  type InsertMutationFn,
  type NonEmptyArray,
  type PendingMutation,
  type SingleResult,
  type StandardSchema,
  type SyncConfig,
  type Transaction,
  type TransactionState,
  type UpdateMutationFnParams,
  type WithVirtualProps,
} from '../../src/index.ts'

interface Todo {
  id: number
  text: string
  due: Date
}

interface Given {
  id: number
  text?: string
  due: string
}

declare const schema: StandardSchema<Given, Todo>
declare const sync: SyncConfig<Todo, number>

describe('createCollection with a schema', () => {
  const todos = createCollection({
    schema,
    sync,
    getKey: (todo) => todo.id,
    utils: { refetch: (): number => 1 },
  })

  test('rows are what the schema gives, inserts what it takes', () => {
    expectTypeOf(todos.toArray).toEqualTypeOf<WithVirtualProps<Todo, number>[]>()
    expectTypeOf(todos).toEqualTypeOf<
      Collection<Todo, number, { refetch: () => number }, typeof schema, Given>
    >()
    expectTypeOf(todos.insert).parameter(0).toEqualTypeOf<Given | Given[]>()
    todos.insert([{ id: 1, due: '2020-01-01' }])
    // @ts-expect-error the schema takes a text
    todos.insert({ id: 1, due: new Date() })
    todos.update(1, (draft) => expectTypeOf(draft.due).toEqualTypeOf<string>())
    expectTypeOf(todos.utils.refetch).returns.toEqualTypeOf<number>()
    expectTypeOf(todos.validateData({}, 'insert')).toEqualTypeOf<Todo>()
  })

  test('handlers see the rows', () => {
    createCollection({
      schema,
      sync,
      getKey: (todo) => todo.id,
      onInsert: async ({ transaction }) => {
        expectTypeOf(transaction.mutations[0].modified).toEqualTypeOf<Todo>()
        expectTypeOf(transaction.mutations[0].original).toEqualTypeOf<Record<string, never>>()
      },
      onUpdate: async ({ transaction }) => {
        expectTypeOf(transaction.mutations[0].changes).toEqualTypeOf<Partial<Todo>>()
        expectTypeOf(transaction.mutations[0].original).toEqualTypeOf<Todo>()
      },
      onDelete: async ({ transaction }) => {
        expectTypeOf(transaction.mutations[0].changes).toEqualTypeOf<Todo>()
      },
    })
  })

  test('a schema tells its types', () => {
    expectTypeOf<InferSchemaOutput<typeof schema>>().toEqualTypeOf<Todo>()
    expectTypeOf<InferSchemaInput<typeof schema>>().toEqualTypeOf<Given>()
    expectTypeOf<InferSchemaOutput<StandardSchema<string, number>>>().toEqualTypeOf<Record<string, unknown>>()
  })

  test('a query over it has its rows', () => {
    const live = createLiveQueryCollection((q) => q.from({ todo: todos }))
    expectTypeOf<(typeof live.toArray)[0]['due']>().toEqualTypeOf<Date>()
    expectTypeOf<InferCollectionType<typeof todos>>().toEqualTypeOf<WithVirtualProps<Todo, number>>()
    expectTypeOf(todos).toExtend<PendingMutation['collection']>()
  })
})

describe('createCollection without a schema', () => {
  test('takes the row from getKey or a type argument', () => {
    const byKey = createCollection({ sync, getKey: (todo: Todo) => todo.id })
    expectTypeOf(byKey.insert).parameter(0).toEqualTypeOf<Todo | Todo[]>()
    const named = createCollection<Todo, number>({ sync, getKey: (todo) => todo.id })
    expectTypeOf(named).toEqualTypeOf<Collection<Todo, number>>()
  })

  test('passes a configuration on', () => {
    const make = (config: CollectionConfig<Todo, number>) => createCollection(config)
    expectTypeOf(make).returns.toEqualTypeOf<Collection<Todo, number>>()
  })

  test('keeps the mark of a single result', () => {
    const one = createCollection({ sync, getKey: (todo: Todo) => todo.id, singleResult: true })
    expectTypeOf(one).toExtend<SingleResult>()
  })
})

describe('transactions', () => {
  test('have mutations of their row type', () => {
    const transaction = createTransaction<Todo>({
      mutationFn: async ({ transaction: sent }) => {
        expectTypeOf(sent.mutations).toEqualTypeOf<NonEmptyArray<PendingMutation<Todo>>>()
        expectTypeOf(sent.id).toEqualTypeOf<string>()
      },
    })
    expectTypeOf(transaction).toEqualTypeOf<Transaction<Todo>>()
    expectTypeOf(transaction.mutations).toEqualTypeOf<PendingMutation<Todo>[]>()
    expectTypeOf(transaction.state).toEqualTypeOf<TransactionState>()
    expectTypeOf(transaction.commit()).resolves.toEqualTypeOf<Transaction<Todo>>()
    expectTypeOf(transaction.mutate(() => {})).toEqualTypeOf<Transaction<Todo>>()
    expectTypeOf(transaction.isPersisted.isPending()).toEqualTypeOf<boolean>()
    expectTypeOf(getActiveTransaction()).toEqualTypeOf<Transaction | undefined>()
    // @ts-expect-error a transaction needs a function that sends
    createTransaction({ autoCommit: false })
  })

  test('mutations are typed by operation', () => {
    type Sent = UpdateMutationFnParams<Todo>['transaction']['mutations'][0]
    expectTypeOf<Sent['type']>().toEqualTypeOf<'update'>()
    expectTypeOf<Sent['changes']>().toEqualTypeOf<Partial<Todo>>()
    type Gone = DeleteMutationFnParams<Todo>['transaction']['mutations'][0]
    expectTypeOf<Gone['changes']>().toEqualTypeOf<Todo>()
    expectTypeOf<InsertMutationFn<Todo>>().returns.toEqualTypeOf<Promise<unknown>>()
  })

  test('optimistic actions type their variables', () => {
    const add = createOptimisticAction<{ text: string }>({
      onMutate: (variables) => {
        expectTypeOf(variables).toEqualTypeOf<{ text: string }>()
      },
      mutationFn: async (variables, { transaction }) => {
        expectTypeOf(variables.text).toEqualTypeOf<string>()
        expectTypeOf(transaction.mutations[0].type).toEqualTypeOf<'insert' | 'update' | 'delete'>()
      },
    })
    expectTypeOf(add).toEqualTypeOf<(variables: { text: string }) => Transaction>()
    const inferred = createOptimisticAction({ onMutate: (_: number) => {}, mutationFn: async () => {} })
    expectTypeOf(inferred).parameter(0).toEqualTypeOf<number>()
  })
})
