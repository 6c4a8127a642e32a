# One DynamoDB table with everything that its document says.

terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.80"
    }
  }
}

resource "aws_dynamodb_table" "this" {
  name                        = var.name
  billing_mode                = var.billing_mode
  read_capacity               = var.read_capacity
  write_capacity              = var.write_capacity
  hash_key                    = var.hash_key
  range_key                   = var.range_key
  stream_enabled              = var.stream_view_type != null
  stream_view_type            = var.stream_view_type
  deletion_protection_enabled = var.deletion_protection
  tags                        = var.tags

  dynamic "attribute" {
    for_each = var.attributes

    content {
      name = attribute.value.name
      type = attribute.value.type
    }
  }

  dynamic "global_secondary_index" {
    for_each = var.global_secondary_indexes

    content {
      name               = global_secondary_index.value.name
      hash_key           = global_secondary_index.value.hash_key
      range_key          = global_secondary_index.value.range_key
      projection_type    = global_secondary_index.value.projection_type
      non_key_attributes = global_secondary_index.value.non_key_attributes
      read_capacity      = var.read_capacity
      write_capacity     = var.write_capacity
    }
  }

  dynamic "local_secondary_index" {
    for_each = var.local_secondary_indexes

    content {
      name               = local_secondary_index.value.name
      range_key          = local_secondary_index.value.range_key
      projection_type    = local_secondary_index.value.projection_type
      non_key_attributes = local_secondary_index.value.non_key_attributes
    }
  }

  dynamic "ttl" {
    for_each = var.ttl_attribute == null ? [] : [var.ttl_attribute]

    content {
      attribute_name = ttl.value
      enabled        = true
    }
  }

  dynamic "replica" {
    for_each = var.replica_regions

    content {
      region_name                 = replica.value
      point_in_time_recovery      = var.point_in_time_recovery
      deletion_protection_enabled = var.deletion_protection
      propagate_tags              = true
    }
  }

  point_in_time_recovery {
    enabled                 = var.point_in_time_recovery
    recovery_period_in_days = var.recovery_period_days
  }

  server_side_encryption {
    enabled = var.encrypted_with_kms
  }

  lifecycle {
    prevent_destroy = true
  }
}
