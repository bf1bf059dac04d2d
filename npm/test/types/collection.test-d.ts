import { describe, expectTypeOf, test } from 'vitest'
import type {
  ChangeMessage,
  Collection,
  CollectionConfig,
  CollectionStatus,
  LocalOnlyCollectionConfig,
  Transaction,
  UtilsRecord,
  WithoutVirtualProps,
  WithVirtualProps,
} from '../../src/types.ts'
import { type User, users } from './rows.ts'

declare function create<
  T extends object,
  TKey extends string | number,
  TUtils extends UtilsRecord = UtilsRecord,
>(config: CollectionConfig<T, TKey, never, TUtils>): Collection<T, TKey, TUtils>

type UserRow = WithVirtualProps<User, number>

describe('configuration', () => {
  test('gives row, key and utils types', () => {
    const made = create({
      getKey: (user: User) => user.id,
      sync: { sync: ({ begin, commit, markReady }) => (begin(), commit(), markReady()) },
      utils: { refetch: () => Promise.resolve(1) },
    })
    expectTypeOf(made.get).parameter(0).toEqualTypeOf<number>()
    expectTypeOf(made.toArray).toEqualTypeOf<UserRow[]>()
    expectTypeOf(made.utils.refetch).returns.toEqualTypeOf<Promise<number>>()
  })

  test('types what a sync function writes', () => {
    create<User, number>({
      getKey: (user) => user.id,
      sync: {
        rowUpdateMode: 'partial',
        sync: ({ write, commit, markError, truncate, collection }) => {
          write({ type: 'insert', value: {} as User })
          write({ type: 'update', key: 1, value: { name: 'x' } })
          write({ type: 'delete', key: 1 })
          write({ type: 'delete', value: {} as User })
          // @ts-expect-error an insert holds the whole row
          write({ type: 'insert', value: { name: 'x' } })
          // @ts-expect-error keys are numbers
          write({ type: 'delete', key: '1' })
          truncate()
          markError(new Error('x'))
          expectTypeOf(commit()).toEqualTypeOf<true | Promise<void>>()
          expectTypeOf(collection.size).toEqualTypeOf<number>()
          return { cleanup() {} }
        },
      },
    })
  })

  test('local-only collections take rows instead of a source', () => {
    const config: LocalOnlyCollectionConfig<User, never, number> = {
      getKey: (user) => user.id,
      initialData: [],
    }
    expectTypeOf(config.initialData).toEqualTypeOf<User[] | undefined>()
    expectTypeOf(config).not.toHaveProperty('sync')
    expectTypeOf(config).not.toHaveProperty('gcTime')
  })
})

describe('collection', () => {
  test('reads rows with virtual properties', () => {
    expectTypeOf(users.get(1)).toEqualTypeOf<UserRow | undefined>()
    expectTypeOf(users.state).toEqualTypeOf<Map<number, UserRow>>()
    expectTypeOf([...users]).toEqualTypeOf<Array<[number, UserRow]>>()
    expectTypeOf(users.map((user, key, index) => [user.name, key, index] as const)).items.toEqualTypeOf<
      readonly [string, number, number]
    >()
    expectTypeOf<WithoutVirtualProps<WithVirtualProps<{ id: number }>>>().toEqualTypeOf<{ id: number }>()
    // @ts-expect-error keys are numbers
    users.get('1')
  })

  test('types changes and events', () => {
    users.subscribeChanges(
      (changes) => expectTypeOf(changes).toEqualTypeOf<Array<ChangeMessage<UserRow, number>>>(),
      { includeInitialState: true },
    )
    users.on('status:change', ({ previousStatus, status }) => {
      expectTypeOf([previousStatus, status]).toEqualTypeOf<CollectionStatus[]>()
    })
    users.once('status:ready', (event) => {
      expectTypeOf(event.type).toEqualTypeOf<'status:ready'>()
      expectTypeOf(event.status).toEqualTypeOf<'ready'>()
    })
    expectTypeOf(users.waitFor('subscribers:change', 10)).resolves.toHaveProperty('subscriberCount')
    // @ts-expect-error no such event
    users.on('status:gone', () => {})
  })

  test('types drafts and transactions', () => {
    users.update(1, (draft) => {
      draft.address.geo.lat = 1
      // @ts-expect-error a name is a string
      draft.name = 1
    })
    users.update([1, 2], (drafts) => expectTypeOf(drafts).items.toHaveProperty('name'))
    expectTypeOf(users.insert({} as User)).toEqualTypeOf<Transaction>()
    expectTypeOf(users.delete([1]).isPersisted.promise).resolves.toEqualTypeOf<Transaction>()
  })
})
