"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON(none_as_null=True)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("key", sa.String(length=400), nullable=False),
        sa.Column("password", sa.String(length=300), nullable=False),
        sa.Column("administrator", sa.Boolean(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("key", name=op.f("uq_account_key")),
    )
    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("created", BIG, nullable=False),
        sa.Column("archived", BIG, nullable=True),
        sa.CheckConstraint("kind IN ('align', 'judge')", name=op.f("ck_project_kind")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
    )
    op.create_table(
        "api_key",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(length=200), nullable=False),
        sa.Column("prefix", sa.String(length=20), nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.Column("created", BIG, nullable=False),
        sa.Column("used", BIG, nullable=True),
        sa.Column("revoked", BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_api_key_account_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_key")),
        sa.UniqueConstraint("secret", name=op.f("uq_api_key_secret")),
    )
    op.create_index(
        op.f("ix_api_key_account_id"), "api_key", ["account_id"], unique=False
    )
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("note", sa.String(length=200), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("created", BIG, nullable=False),
        sa.Column("expires", BIG, nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "role IN ('lead', 'annotator', 'adjudicator')",
            name=op.f("ck_invitation_role"),
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_invitation_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_invitation_project_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("token", name=op.f("uq_invitation_token")),
    )
    op.create_index(
        op.f("ix_invitation_project_id"), "invitation", ["project_id"], unique=False
    )
    op.create_table(
        "item",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=500), nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("gold", sa.JSON, nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_item_project_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_item")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_item_project_id_name")),
        sa.UniqueConstraint(
            "project_id", "number", name=op.f("uq_item_project_id_number")
        ),
    )
    op.create_table(
        "member",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.CheckConstraint(
            "role IN ('lead', 'annotator', 'adjudicator')", name=op.f("ck_member_role")
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_member_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_member_project_id")
        ),
        sa.PrimaryKeyConstraint("project_id", "account_id", name=op.f("pk_member")),
    )
    op.create_index(
        op.f("ix_member_account_id"), "member", ["account_id"], unique=False
    )
    op.create_table(
        "session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("created", BIG, nullable=False),
        sa.Column("seen", BIG, nullable=False),
        sa.Column("revoked", BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_session_account_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session")),
        sa.UniqueConstraint("token", name=op.f("uq_session_token")),
    )
    op.create_index(
        op.f("ix_session_account_id"), "session", ["account_id"], unique=False
    )
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("part", sa.String(length=20), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("done", BIG, nullable=True),
        sa.CheckConstraint(
            "part IN ('annotator', 'adjudicator')", name=op.f("ck_assignment_part")
        ),
        sa.CheckConstraint("round IN (1, 2)", name=op.f("ck_assignment_round")),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_assignment_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["item_id"], ["item.id"], name=op.f("fk_assignment_item_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint(
            "item_id",
            "account_id",
            "part",
            "round",
            name=op.f("uq_assignment_item_id_account_id_part_round"),
        ),
    )
    op.create_index(
        op.f("ix_assignment_account_id_done"),
        "assignment",
        ["account_id", "done"],
        unique=False,
    )
    op.create_table(
        "annotation",
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"],
            ["assignment.id"],
            name=op.f("fk_annotation_assignment_id"),
        ),
        sa.PrimaryKeyConstraint("assignment_id", name=op.f("pk_annotation")),
    )
    op.create_table(
        "event",
        sa.Column("id", BIG, nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("time", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_event_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_event_assignment_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        sa.UniqueConstraint(
            "assignment_id", "key", name=op.f("uq_event_assignment_id_key")
        ),
        sa.UniqueConstraint(
            "assignment_id", "number", name=op.f("uq_event_assignment_id_number")
        ),
    )
