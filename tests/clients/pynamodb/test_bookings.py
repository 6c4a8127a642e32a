"""A small booking program on PynamoDB, as people write it: models, indexes, versions, expiry."""

import os
from datetime import datetime, timedelta, timezone
from uuid import uuid4

import pytest
from pynamodb.attributes import (
    BooleanAttribute, ListAttribute, MapAttribute, NumberAttribute, TTLAttribute, UnicodeAttribute,
    UnicodeSetAttribute, UTCDateTimeAttribute, VersionAttribute,
)
from pynamodb.connection import Connection
from pynamodb.exceptions import DoesNotExist, PutError, TransactWriteError
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex, KeysOnlyProjection, LocalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite

HOST, REGION = os.environ["PLINTH_ENDPOINT"], os.environ["AWS_REGION"]


class Guest(MapAttribute):
    name = UnicodeAttribute()
    age = NumberAttribute(null=True)


class ByStatus(GlobalSecondaryIndex):
    class Meta:
        index_name = "by-status"
        projection = AllProjection()

    status = UnicodeAttribute(hash_key=True)
    price = NumberAttribute(range_key=True)


class ByArrival(LocalSecondaryIndex):
    class Meta:
        index_name = "by-arrival"
        projection = KeysOnlyProjection()

    hotel = UnicodeAttribute(hash_key=True)
    arrival = UTCDateTimeAttribute(range_key=True)


class Booking(Model):
    class Meta:
        table_name = f"bookings-{uuid4()}"
        host, region = HOST, REGION
        billing_mode = "PAY_PER_REQUEST"

    hotel = UnicodeAttribute(hash_key=True)
    number = NumberAttribute(range_key=True)
    arrival = UTCDateTimeAttribute()
    status = UnicodeAttribute(default="open")
    price = NumberAttribute()
    guests = ListAttribute(of=Guest, default=list)
    tags = UnicodeSetAttribute(null=True)
    paid = BooleanAttribute(default=False)
    note = UnicodeAttribute(null=True)
    expires = TTLAttribute(null=True)
    version = VersionAttribute()
    by_status = ByStatus()
    by_arrival = ByArrival()


DAY = datetime(2026, 3, 1, tzinfo=timezone.utc)


def booking(number, **options):
    options = {"arrival": DAY + timedelta(days=number), "price": 10 * number, **options}
    return Booking("astoria", number, **options)


@pytest.fixture(scope="module", autouse=True)
def table():
    Booking.create_table(wait=True)
    assert Booking.exists()
    with Booking.batch_write() as batch:
        for number in range(1, 61):
            batch.save(booking(number, status="open" if number % 3 else "closed"))
    yield
    Booking.delete_table()
    assert not Booking.exists()


def test_the_table_is_as_the_model_says():
    table = Connection(REGION, HOST).describe_table(Booking.Meta.table_name)
    assert {index["IndexName"] for index in table["GlobalSecondaryIndexes"]} == {"by-status"}
    assert {index["IndexName"] for index in table["LocalSecondaryIndexes"]} == {"by-arrival"}
    assert Booking.describe_table()["ItemCount"] == 60


def test_a_booking_comes_back_as_it_was_saved():
    expires = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(days=1)
    made = booking(
        100, guests=[Guest(name="Ada", age=36), Guest(name="Bob")], tags={"sea", "quiet"},
        expires=expires, note="late",
    )
    made.save(Booking.hotel.does_not_exist())
    found = Booking.get("astoria", 100, consistent_read=True)
    assert [guest.name for guest in found.guests] == ["Ada", "Bob"] and found.guests[0].age == 36
    assert found.tags == {"sea", "quiet"} and found.expires == expires and found.version == 1
    assert found.arrival == made.arrival and found.paid is False
    with pytest.raises(PutError) as caught:
        booking(100).save(Booking.hotel.does_not_exist())
    assert caught.value.cause_response_code == "ConditionalCheckFailedException"
    found.delete()
    with pytest.raises(DoesNotExist):
        Booking.get("astoria", 100)


def test_two_who_change_the_same_booking():
    booking(101).save()
    one, other = Booking.get("astoria", 101), Booking.get("astoria", 101)
    one.update(actions=[
        Booking.price.set(Booking.price + 5), Booking.paid.set(True), Booking.tags.add({"sea"}),
        Booking.guests.set(Booking.guests.append([{"name": "Ada"}])), Booking.note.remove(),
    ])
    assert one.price == 1015 and one.paid and one.guests[0].name == "Ada" and one.version == 2
    other.note = "mine"
    with pytest.raises(PutError) as caught:
        other.save()
    assert caught.value.cause_response_code == "ConditionalCheckFailedException"
    other.refresh()
    assert other.price == 1015 and other.note is None
    other.delete()


def test_queries_page_filter_and_go_backwards():
    few = Booking.query("astoria", Booking.number.between(10, 40), Booking.price > 200, page_size=4)
    assert [found.number for found in few] == list(range(21, 41))
    backwards = Booking.query("astoria", Booking.number <= 60, scan_index_forward=False, limit=3)
    assert [found.number for found in backwards] == [60, 59, 58]
    assert Booking.count("astoria", Booking.number < 11) == 10
    first = Booking.query("astoria", limit=5)
    assert len(list(first)) == 5
    rest = Booking.query("astoria", last_evaluated_key=first.last_evaluated_key)
    assert next(rest).number == 6
    attributes = next(Booking.query("astoria", attributes_to_get=["price"]))
    assert attributes.price == 10 and attributes.note is None


def test_indexes():
    closed = list(Booking.by_status.query("closed", ByStatus.price >= 300))
    assert [found.price for found in closed] == list(range(300, 601, 30))
    early = list(Booking.by_arrival.query("astoria", ByArrival.arrival < DAY + timedelta(days=4)))
    assert [found.number for found in early] == [1, 2, 3]


def test_scans_in_segments_see_everything_once():
    numbers = [found.number for segment in range(4)
               for found in Booking.scan(segment=segment, total_segments=4, page_size=7)]
    assert sorted(numbers) == list(range(1, 61))
    assert len(list(Booking.scan(Booking.status.is_in("closed", "lost")))) == 20
    keys = [("astoria", number) for number in range(1, 61)]
    assert {found.number for found in Booking.batch_get(keys)} == set(range(1, 61))


def test_transactions():
    connection = Connection(REGION, HOST)
    with TransactWrite(connection=connection) as transaction:
        transaction.save(booking(110), condition=Booking.number.does_not_exist())
        transaction.update(booking(1), actions=[Booking.note.set("moved")], add_version_condition=False)
        transaction.condition_check(Booking, "astoria", 2, condition=Booking.status == "open")
    with pytest.raises(TransactWriteError) as caught:
        with TransactWrite(connection=connection) as transaction:
            transaction.delete(booking(110), add_version_condition=False)
            transaction.condition_check(Booking, "astoria", 2, condition=Booking.status == "closed")
    # PynamoDB sends the checks first, whatever the order of the program.
    codes = [reason and reason.code for reason in caught.value.cancellation_reasons]
    assert codes == ["ConditionalCheckFailed", None]
    with TransactGet(connection=connection) as transaction:
        moved, made = transaction.get(Booking, "astoria", 1), transaction.get(Booking, "astoria", 110)
    assert moved.get().note == "moved" and made.get().price == 1100
    made.get().delete(add_version_condition=False)
